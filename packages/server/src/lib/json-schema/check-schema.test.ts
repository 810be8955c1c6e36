import { expect, test } from "bun:test";
import { createSchemaChecker } from "./check-schema.ts";

function check(schema: Record<string, unknown>, value: unknown) {
  return createSchemaChecker(schema)(value);
}

test("A value that fits has no issue, and another one has the first with its path", () => {
  const schema = {
    type: "object",
    properties: {
      count: { type: "integer", minimum: 1 },
      kind: { enum: ["a", "b"] },
      list: { type: "array", items: { $ref: "#/$defs/item" }, uniqueItems: true },
    },
    required: ["count"],
    additionalProperties: false,
    $defs: { item: { type: "object", properties: { name: { type: "string", maxLength: 3 } } } },
  };
  expect(check(schema, { count: 1, kind: "b", list: [{ name: "abc" }] })).toBeNull();
  expect(check(schema, {})).toEqual({ path: "count", message: "is required" });
  expect(check(schema, { count: 0 })).toEqual({ path: "count", message: "must be at least 1" });
  expect(check(schema, { count: 1.5 })).toEqual({ path: "count", message: "must be integer" });
  expect(check(schema, { count: 1, kind: "c" })).toEqual({
    path: "kind",
    message: 'must be one of "a", "b"',
  });
  expect(check(schema, { count: 1, list: [{}, { name: "abcd" }] })).toEqual({
    path: "list[1].name",
    message: "must have at most 3 characters",
  });
  expect(
    check(schema, {
      count: 1,
      list: [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
    }),
  ).toEqual({
    path: "list",
    message: "must not have equal items",
  });
  expect(check(schema, { count: 1, coun: 2 })).toEqual({
    path: "coun",
    message: 'is not known here. Did you mean "count"?',
  });
});

test("A number with more digits than JavaScript's is an integer", () => {
  const value = { id: JSON.rawJSON("12345678901234567890") };
  expect(check({ properties: { id: { type: "integer", minimum: 1 } } }, value)).toBeNull();
});

test("Alternatives that refer to themselves end after a number of steps", () => {
  const alternative = (name: string) => ({
    properties: { x: { $ref: "#/$defs/node" }, [name]: true },
    required: [name],
  });
  const schema = {
    $defs: { node: { allOf: [{ oneOf: [alternative("a"), alternative("b")] }] } },
    properties: { x: { $ref: "#/$defs/node" } },
  };
  let value: Record<string, unknown> = { a: 1, b: 1 };
  for (let depth = 0; depth < 60; depth += 1) value = { x: value, a: 1, b: 1 };
  // Each level doubles the work of `oneOf`.
  expect(check(schema, value)?.message).toContain("too large to check");
  expect(check({ $ref: "#" }, {})?.message).toContain("too large to check");
});

const asserting = "https://json-schema.org/draft/2020-12/meta/format-assertion";

test.each<[string, (count: number) => Record<string, unknown>, unknown]>([
  ["minLength", (count) => ({ minLength: 40_000 + (count % 2) }), "a".repeat(60_000)],
  ["format", () => ({ format: "email" }), `a@${"b".repeat(60_000)}`],
  ["maxProperties", () => ({ maxProperties: 10_000 }), toMembers(4_000)],
  ["properties", () => ({ properties: { other: false } }), toMembers(4_000)],
  ["const", () => ({ const: Array(1_000).fill("a") }), Array(1_000).fill("a")],
  ["enum", () => ({ enum: [["a".repeat(60_000)]] }), ["a".repeat(60_000)]],
  ["uniqueItems", () => ({ uniqueItems: true }), Object.keys(toMembers(1_000))],
  ["type", () => ({ type: [...Array(1_000).fill("null"), "string"] }), "a"],
  ["minimum", () => ({ minimum: 3 }), JSON.rawJSON("9".repeat(60_000))],
  ["dependentRequired", () => ({ dependentRequired: toMembers(1_000, []) }), {}],
  ["$ref", () => ({ $ref: `#/$defs/${"d".repeat(16_000)}` }), "a"],
])("The keyword %s counts what it reads, so that a schema with many of it does not hold the loop", (_, toKeyword, value) => {
  const allOf = Array.from({ length: 300 }, (_, count) => toKeyword(count));
  const inDialect = { $schema: asserting };
  expect(check({ ...inDialect, allOf }, value)?.message).toContain("too large to check");
  expect(check({ ...inDialect, allOf: allOf.slice(0, 10) }, value)).toBeNull();
});

function toMembers(count: number, member: unknown = 1): Record<string, unknown> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`member_${at}`, member]));
}

test("Equal values are equal in any order of their members, and numbers by value", () => {
  const value = { a: [1, { b: "x", c: null }], d: JSON.rawJSON("1.00e2") };
  const equal = { d: 100, a: [1, { c: null, b: "x" }] };
  for (const [other, isEqual] of [
    [equal, true],
    [{ ...equal, e: 1 }, false],
    [{ ...equal, d: "100" }, false],
    [{ d: 100, e: equal.a }, false],
    [[equal], false],
    [null, false],
    [{ d: 100, a: [1, { c: false, b: "x" }] }, false],
  ] as const) {
    expect(check({ const: other }, value) === null).toBe(isEqual);
    expect(check({ enum: [1, other] }, value) === null).toBe(isEqual);
    expect(check({ uniqueItems: true }, [value, other]) !== null).toBe(isEqual);
  }
});

test("A pattern runs in linear time, and one that the engine does not know is left to others", () => {
  const text = `${"a".repeat(1000)}!`;
  expect(check({ pattern: "^(a+)+$" }, text)?.message).toBe("must match the pattern ^(a+)+$");
  expect(check({ pattern: "^(?=b)c" }, text)).toBeNull();
  expect(check({ pattern: "^(a|aa)*$" }, "a".repeat(5_000_000))?.message).toContain("too large");
});

test.each([
  ["date", "2024-02-29", "2023-02-29"],
  ["date", "2000-02-29", "1900-02-29"],
  ["date", "2024-04-30", "2024-04-31"],
  ["date-time", "2024-02-29T23:59:59Z", "2024-02-30T00:00:00Z"],
  ["date-time", "2024-01-01T00:00:00+23:59", "2024-01-01T00:00:00+24:00"],
  ["email", '"Ada Byron"@example.com', "Ada Byron@example.com"],
  ["ipv4", "192.168.0.1", "192.168.0.1."],
  ["ipv4", "255.255.255.255", "256.1.1.1"],
  ["uri", "http://999.999.999.999/", "//example.com/"],
  ["uri", "urn:isbn:0451450523", "https://example.com/a b"],
  ["uuid", "123e4567-e89b-12d3-a456-426614174000", "123e4567-e89b-12d3-a456-42661417400"],
])("The format %s admits %s, and not %s, in a dialect that checks formats", (format, good, bad) => {
  const schema = { $schema: asserting, format };
  expect(check(schema, good)).toBeNull();
  expect(check(schema, bad)?.message).toBe(`must be in the format ${format}`);
});

test.each([
  ["uri", ""],
  ["uri", "example.com/no-scheme"],
  ["uuid", "7"],
  ["email", "Ada"],
  ["date", "tomorrow"],
  ["date-time", "now-15m"],
  ["date-time", "2026-11-27 20:00"],
  ["ipv4", "db.internal"],
  ["hostname", "a b"],
  ["regex", "("],
])("The format %s is a note in other dialects: the outside system gets %j", (format, value) => {
  for (const $schema of [
    undefined,
    "https://json-schema.org/draft/2020-12/schema",
    "http://json-schema.org/draft-07/schema#",
    "https://spec.openapis.org/oas/3.1/dialect/base",
    5,
  ]) {
    const schema = { properties: { it: { format } }, ...($schema !== undefined && { $schema }) };
    expect(check(schema, { it: value })).toBeNull();
  }
});

test("Blanks in patterns are those of ECMAScript, also in a class", () => {
  for (const blank of [" ", "\t", "\u00a0", "\ufeff", "\u2028", "\u2003", "\v"]) {
    expect(check({ pattern: "^\\s$" }, blank)).toBeNull();
    expect(check({ pattern: "^[a\\s]$" }, blank)).toBeNull();
    expect(check({ pattern: "^\\S$" }, blank)).not.toBeNull();
  }
  expect(check({ pattern: "^[\\]\\s]$" }, "]")).toBeNull();
  expect(check({ pattern: "^\\\\s$" }, "\\s")).toBeNull();
});

test("A number whose quotient is too large is a multiple if nothing remains", () => {
  expect(check({ multipleOf: 0.5 }, 1e308)).toBeNull();
  expect(check({ multipleOf: 0.123456789 }, 1e308)).not.toBeNull();
});
