/**
 * The bounded twin of `scripts/time-law.ts`: everything that callers can send to has a case there,
 * and what they send costs steps in proportion to its length. Steps are calls of the functions that
 * loops are made of, so that no clock is asked.
 */
import { afterEach, describe, expect, test } from "bun:test";
import { checkParams, parseFields, wick } from "@hub/connector";
import { toRequestHeaders } from "../packages/server/src/connectors/builtin/http/request-headers.ts";
import { toRequestUrl } from "../packages/server/src/connectors/builtin/http/request-url.ts";
import { describeApi } from "../packages/server/src/http/api/api-document.ts";
import { openTestApp } from "../packages/server/src/http/testing/open-test-app.ts";
import { readFrame } from "../packages/server/src/mcp/frame.ts";
import { metaTools } from "../packages/server/src/mcp/tools/meta-tools.ts";
import { containsHubToken, removeHubTokens } from "../packages/server/src/operations/hub-tokens.ts";
import {
  formCases,
  listMissing,
  pathNames,
  routeCases,
  toolCases,
} from "../scripts/time-law/cases.ts";
import { jsonShapes, textShapes } from "./support/hostile-shapes.ts";

const restores: Array<() => void> = [];
afterEach(() => {
  for (const restore of restores.splice(0)) restore();
});

describe("the time law has a case for", () => {
  const document = describeApi({ hubVersion: "1", baseUrl: "https://hub.example" });
  const routes = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    (["get", "post", "put", "patch", "delete"] as const).flatMap((method) => {
      const operation = item?.[method];
      return operation === undefined
        ? []
        : [{ name: `${method.toUpperCase()} ${path}`, operation }];
    }),
  );

  test("every tool, and every argument of it", () => {
    const names = metaTools.map(({ name }) => name);
    expect(listMissing("The tool", names, toolCases)).toEqual([]);
    for (const { name, inputSchema } of metaTools) {
      const known = Object.keys(Object(inputSchema).properties ?? {});
      expect(listMissing(`The argument of ${name}`, known, toolCases[name] ?? {})).toEqual([]);
    }
  });

  test("every route of the API, and every member of its body and query", () => {
    const names = routes.map(({ name }) => name);
    expect(listMissing("The route", names, routeCases)).toEqual([]);
    for (const { name, operation } of routes) {
      const { body = {}, query = {} } = routeCases[name] ?? {};
      const given = Object(operation.requestBody).content?.["application/json"]?.schema;
      const members = Object.keys(given?.properties ?? {});
      expect(listMissing(`The member of ${name}`, members, body)).toEqual([]);
      const params = (operation.parameters ?? []).map((one) => Object(one));
      const asked = (where: string) =>
        params.filter((one) => one.in === where).map((one): string => one.name);
      expect(listMissing(`The query of ${name}`, asked("query"), query)).toEqual([]);
      for (const named of asked("path")) expect(pathNames as readonly string[]).toContain(named);
    }
  });

  test("every form of the app", () => {
    const { hono } = openTestApp();
    const posts = hono.routes
      .filter(({ method, path }) => method === "POST" && path !== "/mcp" && !path.includes("/api/"))
      .map(({ path }) => path);
    expect(listMissing("The form", [...new Set(posts)], formCases)).toEqual([]);
  });

  test("no other name: one that is missing or gone is named", () => {
    expect(listMissing("The tool", ["a", "b"], { b: {}, c: {} })).toEqual([
      "The tool a has no case",
      "The tool c is not there",
    ]);
  });
});

const fields = parseFields("Law", { Owner: wick("required"), Query: wick.json("") });
const config = { BaseURL: "https://api.test/v1", AuthMode: "none" as const };

/** What reads a caller's words, by what it reads. Refusals count as they are. */
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
  )("costs steps in proportion to its length: %s", (_shape, make) => {
    const [small, large] = [make(4_000), make(32_000)];
    const few = countSteps(() => read(small));
    const many = countSteps(() => read(large));
    // Eight times the length: a quadratic loop takes 64 times the steps.
    expect(many).toBeLessThanOrEqual(few * 16 + 2_000);
  });
});

/** The work that a call hands to the engine: calls of functions that look through their object. */
function countSteps(run: () => unknown): number {
  let steps = 0;
  const undo = listLoops().map(([prototype, name]) => {
    const own = Object.getOwnPropertyDescriptor(prototype, name);
    const original = own?.value;
    const isList = prototype === Array.prototype || prototype === URLSearchParams.prototype;
    Object.defineProperty(prototype, name, {
      ...own,
      value(this: { length?: number; size?: number }, ...args: unknown[]) {
        // An array and a list of pairs are looked through from their beginning.
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
    // A refusal is an answer.
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
