import { describe, expect, test } from "bun:test";
import { toJsonText } from "@hub/connector";
import { createJsonInTextReader } from "../json/json-in-text.ts";
import { createSchemaChecker } from "./check-schema.ts";
import { fitToSchema } from "./fit-to-schema.ts";
import { resolveReference } from "./resolve-reference.ts";

type Schema = Record<string, unknown>;

const fit = (schema: Schema, value: unknown, depth = 3) =>
  fitToSchema(schema, createJsonInTextReader(), { value, depth });
const ofMember = (schema: unknown, more: Schema = {}): Schema => ({
  type: "object",
  properties: { a: schema },
  ...more,
});

const integers = { type: "array", items: { type: "integer" } };
const point = { type: "object", properties: { x: { type: "number" }, on: { type: "boolean" } } };
const optional = { anyOf: [integers, { type: "null" }], default: null };
const $defs = { point, tree: { type: "object", properties: { next: { $ref: "#/$defs/tree" } } } };

describe("a value of a type that the schema refuses", () => {
  test.each<[string, Schema, unknown, unknown]>([
    ["a list as text", ofMember(integers), "[1,2]", [1, 2]],
    ["an object as text", ofMember(point), ' {"x": 1.5}\n', { x: 1.5 }],
    ["items as text in a list as text", ofMember(integers), '["1", 2]', [1, 2]],
    [
      "an object as text in a list",
      ofMember({ type: "array", items: point }),
      ['{"x":1}'],
      [{ x: 1 }],
    ],
    ["text within text", ofMember({ type: "array", items: integers }), '["[1]"]', [[1]]],
    ["the optional list of pydantic", ofMember(optional), "[1]", [1]],
    ["the word null for an optional list", ofMember(optional), "null", null],
    ["a reference", ofMember({ $ref: "#/$defs/point" }, { $defs }), '{"x":"2"}', { x: 2 }],
    [
      "a reference in a circle",
      ofMember({ $ref: "#/$defs/tree" }, { $defs }),
      '{"next":"{}"}',
      { next: {} },
    ],
    [
      "parts of allOf",
      ofMember({ allOf: [point, { type: "object" }] }),
      '{"on":"true"}',
      { on: true },
    ],
    [
      "additional members",
      ofMember({ type: "object", additionalProperties: integers }),
      { b: "[1]" },
      { b: [1] },
    ],
    [
      "items by place",
      ofMember({ type: "array", prefixItems: [point], items: integers }),
      ['{"x":1}', "[2]"],
      [{ x: 1 }, [2]],
    ],
    ["a type list", ofMember({ type: ["array", "object"] }), '{"b":1}', { b: 1 }],
    ["a schema of oneOf", ofMember({ oneOf: [integers, point] }), '{"x":1}', { x: 1 }],
    ["a number for a text", ofMember({ type: "string" }), 404, "404"],
    ["a boolean for a text", ofMember({ type: "string" }), false, "false"],
    ["a number for a choice of texts", ofMember({ enum: ["1", "2"] }), 1, "1"],
    [
      "numbers in a list of texts",
      ofMember({ type: "array", items: { type: "string" } }),
      [7, true, "x"],
      ["7", "true", "x"],
    ],
    ["a text for a number in an object", ofMember(point), { x: "-1.5e2" }, { x: -150 }],
    ["a text for a boolean in an object", ofMember(point), { on: "False" }, { on: false }],
  ])("%s is rewritten, and the schema accepts it", (_, schema, given, expected) => {
    const { value, issues } = fit(schema, { a: given });
    expect([toJsonText(value), issues]).toEqual([toJsonText({ a: expected }), []]);
    expect(createSchemaChecker(schema)(value)).toBeNull();
  });

  test("A number keeps its digits", () => {
    expect(
      toJsonText(
        fit(ofMember({ type: "string" }), { a: JSON.rawJSON("12345678901234567890") }).value,
      ),
    ).toBe('{"a":"12345678901234567890"}');
    expect(toJsonText(fit(ofMember(integers), { a: '["12345678901234567890"]' }).value)).toBe(
      '{"a":[12345678901234567890]}',
    );
  });

  test("A member with the name __proto__ stays a member", () => {
    const given = JSON.parse('{"a":{"__proto__":"[1]"}}');
    const schema = ofMember({ type: "object", additionalProperties: integers });
    expect(toJsonText(fit(schema, given).value)).toBe('{"a":{"__proto__":[1]}}');
  });
});

describe("a value of an accepted type", () => {
  test.each<[string, unknown, unknown]>([
    ["a text where texts are accepted", { type: "string" }, "[1,2]"],
    ["a text of a refused form", { type: "string", pattern: "^x$" }, '{"x":1}'],
    ["a text among other types", { type: ["object", "string"] }, '{"x":1}'],
    ["a text of an alternative", { anyOf: [integers, { type: "string", format: "uri" }] }, "[1]"],
    ["a text of a choice", { enum: ["[1]", [1]] }, "[1]"],
    ["a text without a schema", true, "[1]"],
    ["a text where only keywords of other types are", { minimum: 3, properties: {} }, "{}"],
    ["a text that is no JSON", integers, "[1,"],
    ["a text of another kind of JSON", integers, '{"x":1}'],
    ["words for a list", integers, "1, 2"],
    ["a number of another notation", { type: "integer" }, "0x10"],
    ["an object for a text", { type: "string" }, { x: 1 }],
    ["a list for a text", { type: "string" }, [1]],
    ["null for a text", { type: "string" }, null],
    ["a number for a boolean", { type: "boolean" }, 1],
    ["an empty text for a list", integers, ""],
    ["an encrypted value for a list", integers, "hub_enc_abc"],
    ["a schema that accepts nothing", false, "[1]"],
  ])("%s is not changed", (_, schema, given) => {
    const params = { a: given };
    expect(fit(ofMember(schema), params).value).toBe(params);
  });
});

describe("the size of texts", () => {
  test("A text may be as deep as an object in its place", () => {
    const nest = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
    const schema = ofMember({ type: "array" });
    expect(fit(schema, { a: nest(60) }).issues).toEqual([]);
    expect(fit(schema, { a: nest(61) })).toEqual({
      value: { a: nest(61) },
      issues: [{ path: "a", message: "is JSON text nested more than 64 levels deep" }],
    });
    expect(fit(schema, { a: nest(100_000) }).issues).toHaveLength(1);
  });

  test("All texts of a call together have as many values as one message", () => {
    const text = `[${"1,".repeat(19_999)}1]`;
    const schema = ofMember({ type: "array", items: { type: "array" } });
    expect(fit(schema, { a: [text, text] }).issues).toEqual([]);
    expect(fit(schema, { a: [text, text, text] }).issues).toEqual([
      { path: "a[2]", message: "is JSON text, with which the call has more than 50000 values" },
    ]);
  });

  test("A schema that costs too much leaves the value to the check", () => {
    const alternatives = (level: number): Schema =>
      level === 0 ? point : ofMember({ anyOf: Array(8).fill(alternatives(level - 1)) });
    const value = { a: { a: { a: { a: { a: { a: { x: "1" } } } } } } };
    expect(fit(alternatives(6), value).issues).toEqual([]);
    const circle = { $ref: "#", anyOf: [{ $ref: "#" }, { $ref: "#" }, { $ref: "#" }] };
    expect(fit(circle, value).value).toBe(value);
  });
});

test("A long reference costs what it is, wherever it leads", () => {
  const steps = ($ref: string, root: Schema = {}) => {
    let spent = 0;
    resolveReference(root, $ref, (count) => {
      spent += count;
    });
    return spent;
  };
  expect(steps("#/$defs/point")).toBe(2);
  // One long name costs by its length, and many names by their number too, or they are not followed.
  expect(steps(`#/${"%41".repeat(5_000)}`)).toBe(151);
  expect(steps(`#/${Array(200).fill("x").join("/")}`)).toBe(204);
  expect(steps(`#/${"x/".repeat(8_000)}`)).toBe(160);
  const $ref = `#/${"x/".repeat(8_000)}`;
  const prefixItems = Array.from({ length: 1_000 }, () => ({ $ref }));
  const value = { a: Array(10_000).fill("1") };
  const fitted = fit(ofMember({ type: "array", prefixItems, items: integers }), value);
  // Its 1,000 references are more than one call may cost.
  expect(fitted.value).toBe(value);
});

test("Thousands of texts to parse, or a long text in many others, are left to the check", () => {
  const countReads = (schema: object, value: unknown) => {
    const inner = createJsonInTextReader();
    let reads = 0;
    const reader = {
      read(text: string, depth: number) {
        reads += 1;
        return inner.read(text, depth);
      },
    };
    const fitted = fitToSchema({ ...schema }, reader, { value, depth: 3 });
    return { reads, isLeft: fitted.value === value };
  };
  const members = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, "{x"]));
  const objects = { type: "object", additionalProperties: { type: "object" } };
  expect(countReads(objects, members(1_000)).reads).toBe(1_000);
  expect(countReads(objects, members(40_000)).reads).toBeLessThan(3_000);
  let text = JSON.stringify(["y".repeat(3_500_000)]);
  for (let level = 0; level < 15; level += 1) text = JSON.stringify([text]);
  const lists = { type: "array", items: { $ref: "#" } };
  expect(countReads(lists, [text])).toMatchObject({ reads: 5, isLeft: true });
});
