import { describe, expect, test } from "bun:test";
import { functionNames } from "./function-names.ts";
import { parseTemplate } from "./parse/parser.ts";
import { renderText } from "./render/render-template.ts";
import { createRoots } from "./testing/create-roots.ts";

const page = await Bun.file(
  new URL("../../../../../docs/reference/workflow-templates.md", import.meta.url),
).text();

const data = JSON.parse(/```json\n([\s\S]*?)```/.exec(page)?.[1] ?? "");

/** The texts in backquotes of each row of a table. */
const rows = page
  .split("\n")
  .filter((line) => line.startsWith("| "))
  .map((line) =>
    [...line.matchAll(/`([^`]*)`/g)].map(([, code = ""]) => code.replaceAll("\\|", "|")),
  );

const examples = rows.flatMap((codes) => {
  const [source, output] = codes.slice(-2);
  return source?.includes("{{") && output !== undefined ? [[source, output] as const] : [];
});

describe("docs/reference/workflow-templates.md", () => {
  test("has many examples", () => expect(examples.length).toBeGreaterThan(functionNames.length));

  test.each(examples)("shows what %s prints", (source, output) => {
    const now = Date.UTC(2026, 2, 7, 10);
    const { text } = renderText(parseTemplate(source), createRoots(data), { now });
    const [start = "", end] = output.split("…");
    if (end === undefined) expect(text).toBe(output);
    else expect(text.startsWith(start)).toBe(true);
  });

  test("has an example of every function", () => {
    const shown = rows
      .filter((codes) => codes.length >= 3)
      .map(([signature = ""]) => signature.split(" ")[0]);
    expect(functionNames.filter((name) => !shown.includes(name))).toEqual([]);
  });
});
