/**
 * The bounded twin of `scripts/time-law.ts`: what callers send costs steps in proportion to its
 * length. Steps are calls of the functions that loops are made of, so that no clock is asked.
 */
import { afterEach, describe, expect, test } from "bun:test";
import { checkParams, parseFields, wick } from "@hub/connector";
import { toRequestHeaders } from "../packages/server/src/connectors/builtin/http/request-headers.ts";
import { toRequestUrl } from "../packages/server/src/connectors/builtin/http/request-url.ts";
import { openTestApp } from "../packages/server/src/http/testing/open-test-app.ts";
import { readFrame } from "../packages/server/src/mcp/frame.ts";
import { holdsHubToken, removeHubTokens } from "../packages/server/src/operations/hub-tokens.ts";
import { forms } from "../scripts/time-law/doors.ts";
import { jsonShapes, textShapes } from "./support/hostile-shapes.ts";

const restores: Array<() => void> = [];
afterEach(() => {
  for (const restore of restores.splice(0)) restore();
});

test("every form of the app is a door of the time law", () => {
  const { hono } = openTestApp();
  const posts = hono.routes
    .filter(({ method, path }) => method === "POST" && path !== "/mcp" && !path.includes("/api/"))
    .map(({ path }) => path);
  expect([...forms].sort()).toEqual([...new Set(posts)].sort());
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
    holdsHubToken(value) && removeHubTokens(JSON.stringify(value)),
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
