import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { webhookRefusalSchema } from "@hub/contract/workflow-webhook.ts";
import { errorTable } from "../../errors.ts";

const server = resolve(import.meta.dirname, "../..");
const page = readFileSync(resolve(server, "../../../docs/reference/workflow-errors.md"), "utf8");

/** The text of some source files, without tests. */
function readSources(...patterns: string[]): string {
  const sources = patterns.flatMap((pattern) => {
    const files = [...new Bun.Glob(pattern).scanSync(server)];
    const found = files.filter((file) => !/\.test\.ts$|\/testing\//.test(file));
    expect({ pattern, isThere: found.length > 0 }).toEqual({ pattern, isThere: true });
    return found;
  });
  return sources.map((file) => readFileSync(resolve(server, file), "utf8")).join("\n");
}

/** The codes of the errors that a source makes. */
function listCodes(source: string): string[] {
  return [...source.matchAll(/new HubError\(\s*"(\w+)"/g)].map(([, code = ""]) => code);
}

/** The text below a heading, up to the next one. */
function findSection(heading: string): string {
  const [, rest] = page.split(`\n## ${heading}\n`);
  expect({ heading, isThere: rest !== undefined }).toEqual({ heading, isThere: true });
  return rest?.split("\n## ")[0] ?? "";
}

/** The names in one column of the tables of a text. */
function listNames(text: string, column = 1): string[] {
  const cells = [...text.matchAll(/^\|.*\|$/gm)].map(([row]) => row.split(" | ")[column - 1] ?? "");
  return cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name));
}

const unique = (names: string[]) => [...new Set(names)].sort();

describe("docs/reference/workflow-errors.md", () => {
  test("The page has every code with which a step or a run can fail, and no other", () => {
    const [, codes = ""] =
      /export type TemplateErrorCode =([^;]*);/.exec(
        readSources("workflows/templates/template-error.ts"),
      ) ?? [];
    const ofTemplates = [...codes.matchAll(/"(\w+)"/g)].map(([, code = ""]) => code);
    const [, tool = ""] =
      /\/\/ Failures inside a tool([\s\S]*?)\n {2}\/\/ /.exec(readSources("errors.ts")) ?? [];
    const ofCalls = [...tool.matchAll(/^ {2}(\w+):/gm)].map(([, code = ""]) => code);
    expect(ofTemplates.length * ofCalls.length).toBeGreaterThan(0);
    const ofEngine = listCodes(readSources("workflows/engine/**/*.ts"));
    expect(unique(listNames(findSection("Steps and runs")))).toEqual(
      unique([...ofTemplates, ...ofCalls, ...ofEngine]),
    );
  });

  test("The page has every code that a webhook answers, with its status, and every reason for its owner", () => {
    const [answers = "", reasons = ""] = findSection("Webhooks").split("The owner sees");
    const made = listCodes(
      readSources(
        "workflows/webhooks/**/*.ts",
        "workflows/engine/secrets/check-sent-tokens.ts",
        "http/events/webhook-endpoint.ts",
        "http/guards/check-host.ts",
        "http/bodies/{body-readers,body-pace}.ts",
      ),
    );
    expect(unique(listNames(answers, 2))).toEqual(unique([...made, "unavailable", "internal"]));
    for (const [, status, code = ""] of answers.matchAll(/^\| (\d+) \| `(\w+)` \|/gm)) {
      // Safe: the codes were compared with those of the program.
      const { httpStatus } = errorTable[code as keyof typeof errorTable];
      expect({ code, status }).toEqual({ code, status: String(httpStatus) });
    }
    expect(unique(listNames(reasons))).toEqual(unique([...webhookRefusalSchema.options]));
  });

  test("The page has every code that the API answers about workflows, with its status", () => {
    const section = findSection("The API and the command line");
    const made = listCodes(
      readSources("workflows/{definition,runs}/**/*.ts", "workflows/triggers/index-triggers.ts"),
    );
    expect(unique(listNames(section))).toEqual(unique(made));
    for (const [, code = "", status] of section.matchAll(/^\| `(\w+)` \| (\d+) \|/gm)) {
      // Safe: the codes were compared with those of the program.
      const { httpStatus } = errorTable[code as keyof typeof errorTable];
      expect({ code, status }).toEqual({ code, status: String(httpStatus) });
    }
  });

  test("The page has every message of the validation, and no other", () => {
    const literal = /("(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`)/.source;
    const patterns = [
      `message =\\s*${literal}`,
      `(?:problems\\.(?:error|warn)|warnOrFail)\\(\\s*(?:\\[[^\\]]*\\]|\\w+),\\s*${literal}`,
      `\\b(?:depth|values|bytes): ${literal}`,
    ];
    const source = readSources(
      "workflows/validation/checks/check-*.ts",
      "workflows/validation/parse-body.ts",
    );
    // Their functions return what is wrong with a text.
    const faults = readSources("workflows/validation/checks/check-{schedule,triggers,webhook}.ts");
    const found = [
      ...patterns.flatMap((pattern) => [...source.matchAll(new RegExp(pattern, "g"))]),
      ...faults.matchAll(new RegExp(`(?:return|\\?) ${literal}(?:;| :)`, "g")),
    ].map(([, text = ""]) => toPattern(text));
    const listed = [...findSection("Problems of the validation").matchAll(/^\| `(.*)` \|/gm)];
    expect(unique(listed.map(([, text = ""]) => text))).toEqual(
      unique(found.filter((text) => text.endsWith("."))),
    );
  });
});

/** A literal with `…` for each value. */
const toPattern = (literal: string) =>
  literal
    .slice(1, -1)
    .replaceAll("\\", "")
    .replace(/\$\{[^{}]*\}/g, "…");
