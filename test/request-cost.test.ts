/**
 * The part of `scripts/request-cost.ts` that runs with the tests: every tool, route and form has a case in
 * the script, and reading an input takes steps in proportion to its length. Steps are calls of built-in
 * functions that search or loop, so the test needs no clock.
 */
import { afterEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { checkParams, parseFields, wick } from "@hub/connector";
import { Glob } from "bun";
import { toRequestHeaders } from "../packages/server/src/connectors/builtin/http/request-headers.ts";
import { toRequestUrl } from "../packages/server/src/connectors/builtin/http/request-url.ts";
import { describeApi } from "../packages/server/src/http/api/api-document.ts";
import { openTestApp } from "../packages/server/src/http/testing/open-test-app.ts";
import { readFrame } from "../packages/server/src/mcp/frames/frame.ts";
import { metaTools } from "../packages/server/src/mcp/tools/meta-tools.ts";
import {
  containsHubToken,
  removeHubTokens,
} from "../packages/server/src/operations/masking/hub-tokens.ts";
import { fileCases } from "../scripts/request-cost/cases/file-cases.ts";
import { formCases } from "../scripts/request-cost/cases/form-cases.ts";
import { listMissing } from "../scripts/request-cost/cases/list-missing.ts";
import { otherDoors, pageCases } from "../scripts/request-cost/cases/page-cases.ts";
import { pathNames } from "../scripts/request-cost/cases/path-names.ts";
import { routeCases } from "../scripts/request-cost/cases/route-cases.ts";
import { toolCases } from "../scripts/request-cost/cases/tool-cases.ts";
import { pairs, texts, values, writeJson } from "../scripts/request-cost/shapes.ts";
import { jsonShapes, textShapes } from "./support/hostile-shapes.ts";

const restores: Array<() => void> = [];
afterEach(() => {
  for (const restore of restores.splice(0)) restore();
});

describe("The cases of scripts/request-cost.ts", () => {
  const document = describeApi({ hubVersion: "1", baseUrl: "https://hub.example" });
  const routes = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    (["get", "post", "put", "patch", "delete"] as const).flatMap((method) => {
      const operation = item?.[method];
      return operation === undefined
        ? []
        : [{ name: `${method.toUpperCase()} ${path}`, operation }];
    }),
  );

  test("Every tool and argument has a case", () => {
    const names = metaTools.map(({ name }) => name);
    expect(listMissing("The tool", names, toolCases)).toEqual([]);
    for (const { name, inputSchema } of metaTools) {
      const known = Object.keys(Object(inputSchema).properties ?? {});
      expect(listMissing(`The argument of ${name}`, known, toolCases[name] ?? {})).toEqual([]);
    }
  });

  test("Every route of the API and every member of its body and query has a case", () => {
    const names = routes.map(({ name }) => name);
    expect(listMissing("The route", names, routeCases)).toEqual([]);
    for (const { name, operation } of routes) {
      const { body = {}, query = {} } = routeCases[name] ?? {};
      const given = Object(operation.requestBody).content?.["application/json"]?.schema;
      // Of a body with variants, the first is sent.
      const members = Object.keys((given?.anyOf?.[0] ?? given)?.properties ?? {});
      expect(listMissing(`The member of ${name}`, members, body)).toEqual([]);
      const params = (operation.parameters ?? []).map((one) => Object(one));
      const namesIn = (where: string) =>
        params.filter((one) => one.in === where).map((one): string => one.name);
      expect(listMissing(`The query of ${name}`, namesIn("query"), query)).toEqual([]);
      for (const named of namesIn("path")) expect(pathNames as readonly string[]).toContain(named);
    }
  });

  test("Every form has a case", () => {
    const { app } = openTestApp();
    const posts = app.routes
      .filter(({ method, path }) => method === "POST" && path !== "/mcp" && !path.includes("/api/"))
      .map(({ path }) => path);
    expect(listMissing("The form", [...new Set(posts)], formCases)).toEqual([]);
  });

  test("Every address that is read by GET has a case, and every address of all methods has doors", () => {
    const { app } = openTestApp();
    const pathsOf = (wanted: string) =>
      app.routes
        .filter(({ method, path }) => method === wanted && path !== "/*")
        .map(({ path }) => path);
    const pages = Object.fromEntries(pageCases.map((path) => [path, true]));
    expect(listMissing("The page", [...new Set(pathsOf("GET"))], pages)).toEqual([]);
    const others = Object.fromEntries(otherDoors.map((path) => [path, true]));
    const all = pathsOf("ALL").filter((path) => !path.startsWith("/.well-known"));
    expect(listMissing("The address", [...new Set(all)], others)).toEqual([]);
  });

  test("Every command that reads a file of others has a case", async () => {
    const reference = join(import.meta.dirname, "../docs/reference/cli");
    const pages = [...new Glob("*.md").scanSync(reference)].sort();
    const read = await Promise.all(pages.map((page) => Bun.file(join(reference, page)).text()));
    const sections = read.flatMap((text) => text.split(/^## hub /m).slice(1));
    const named = sections.flatMap((section) => {
      const [heading = ""] = section.split("\n");
      const isRead = /\bFILE$/.test(heading) || /--(?:file|document|payload) @?FILE/.test(section);
      return isRead ? [toWords(heading)] : [];
    });
    const ofFiles = Object.keys(fileCases).filter((name) => name.includes("FILE"));
    const known = [...ofFiles.map(toWords), ...commandsOfOwnFiles];
    const cases = Object.fromEntries(known.map((name) => [name, true]));
    expect(listMissing("The command", named, cases)).toEqual([]);
  });

  test("Texts and values have a shape for each kind of part, and pairs for what is searched", () => {
    const kindsOf = (shapes: Record<string, { kind: string }>) =>
      [...new Set(Object.values(shapes).map(({ kind }) => kind))].toSorted();
    const all = ["depth", "length", "number", "repetition", "tokens"];
    expect([kindsOf(texts), kindsOf(values)]).toEqual([all, all]);
    expect(kindsOf(pairs)).toEqual(["repetition", "tokens"]);
    for (const [shape, { make }] of Object.entries({ ...texts, ...values })) {
      const { length } = writeJson(make(10_000));
      expect([shape, length > 2_500 && length < 40_000]).toEqual([shape, true]);
    }
  });

  test("A missing case and a case without a subject are reported", () => {
    expect(listMissing("The tool", ["a", "b"], { b: {}, c: {} })).toEqual([
      "The tool a has no case",
      "The tool c does not exist",
    ]);
  });
});

/** A heading of the reference without what the user fills in. */
const toWords = (heading: string) =>
  heading
    .split(" ")
    .filter((word) => /^[a-z]+$/.test(word))
    .join(" ");
/** Commands that write the file, or read one that the hub has written or the user's own key. */
const commandsOfOwnFiles = ["backup", "call"];

const fields = parseFields("Cost", { Owner: wick("required"), Query: wick.json("") });
const config = { BaseURL: "https://api.test/v1", AuthMode: "none" as const };

/** The functions that read a caller's input. Refusals count too. */
const readers: Record<string, (value: unknown) => unknown> = {
  "a frame": (value) => readFrame(typeof value === "string" ? value : JSON.stringify(value)),
  "params of an operation": (value) => checkParams(fields, value),
  "the query of a REST call": (value) => toRequestUrl(config, "/x", value),
  "the path of a REST call": (value) => toRequestUrl(config, String(value), undefined),
  "the headers of a REST call": (value) =>
    toRequestHeaders(
      { ...config, Username: "", HeaderName: "", Token: "" } as never,
      value,
      () => {},
    ),
  "tokens of the hub in a call": (value) =>
    containsHubToken(value) && removeHubTokens(JSON.stringify(value)),
};

describe.each(Object.entries(readers))("%s", (_, read) => {
  const shapes = { ...textShapes, ...jsonShapes };
  test.each(
    Object.entries(shapes),
  )("Reading an input takes steps in proportion to its length: %s", (_shape, make) => {
    const [small, large] = [make(4_000), make(32_000)];
    const few = countSteps(() => read(small));
    const many = countSteps(() => read(large));
    // The length grows by a factor of 8, so a quadratic loop takes 64 times the steps.
    expect(many).toBeLessThanOrEqual(few * 16 + 2_000);
  });
});

/** Counts the calls of built-in functions that search their object. */
function countSteps(run: () => unknown): number {
  let steps = 0;
  const undo = listLoops().map(([prototype, name]) => {
    const own = Object.getOwnPropertyDescriptor(prototype, name);
    const original = own?.value;
    const isList = prototype === Array.prototype || prototype === URLSearchParams.prototype;
    Object.defineProperty(prototype, name, {
      ...own,
      value(this: { length?: number; size?: number }, ...args: unknown[]) {
        // Arrays and lists of pairs are searched from their start.
        steps += 1 + (isList ? (this.length ?? this.size ?? 0) : 0);
        return Reflect.apply(original, this, args);
      },
    });
    return () => void Object.defineProperty(prototype, name, own ?? {});
  });
  restores.push(...undo);
  try {
    run();
  } catch {
    // Refusing an input is an outcome too.
  } finally {
    for (const restore of undo) restore();
  }
  return steps;
}

function listLoops(): Array<[object, string]> {
  return [
    ...["indexOf", "includes", "split", "replace", "slice", "charCodeAt", "trim"].map(
      (name): [object, string] => [String.prototype, name],
    ),
    ...["find", "includes", "indexOf", "some", "every"].map((name): [object, string] => [
      Array.prototype,
      name,
    ]),
    ...["get", "getAll", "has"].map((name): [object, string] => [URLSearchParams.prototype, name]),
    [Headers.prototype, "set"],
    [Map.prototype, "get"],
    [Set.prototype, "has"],
    [RegExp.prototype, "test"],
    [RegExp.prototype, "exec"],
  ];
}
