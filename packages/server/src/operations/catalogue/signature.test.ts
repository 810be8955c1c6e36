/** The inputs of an operation in one line. */
import { describe, expect, test } from "bun:test";
import type { JsonSchema } from "@hub/connector";
import { toSignature } from "./signature.ts";

const object = (properties: JsonSchema, more: JsonSchema = {}): JsonSchema => ({
  type: "object",
  properties,
  ...more,
});
const text = { type: "string" };
const lineOf = (schema: JsonSchema) => toSignature(schema).text;
/** The signature of one optional input. */
const typeOf = (schema: unknown, more: JsonSchema = {}) => {
  const { text: line, isExact } = toSignature(object({ a: schema }, more));
  return [line.slice("(a?: ".length, -1), isExact] as const;
};

describe("the line", () => {
  test("Required inputs come first, then the others with their defaults, and how many are left", () => {
    const schema = object(
      {
        state: { type: "string", enum: ["open", "closed", "all"], default: "open" },
        owner: text,
        labels: { type: "array", items: text },
        repo: text,
        ...Object.fromEntries(["one", "two"].map((name) => [name.repeat(17), text])),
      },
      { required: ["repo", "owner"] },
    );
    expect(toSignature(schema)).toEqual({
      text: '(owner: string, repo: string, state?: "open"|"closed"|"all" = "open", labels?: string[], oneoneoneoneoneoneoneoneoneoneoneoneoneoneoneoneone?: string, …1 more)',
      isExact: true,
    });
  });

  test("An operation without inputs has an empty line", () => {
    expect(toSignature(object({}))).toEqual({ text: "()", isExact: true });
    expect(toSignature({ type: "object" })).toEqual({ text: "()", isExact: true });
  });

  test("A required input without a schema is any value", () => {
    expect(lineOf(object({ a: text }, { required: ["b"] }))).toBe("(b: any, a?: string)");
  });

  test("Inputs in other schemas are not said to be absent", () => {
    const $defs = { params: object({ a: text }) };
    for (const schema of [
      { type: "object", $ref: "#/$defs/params", $defs },
      { type: "object", oneOf: [object({ a: text }), object({ b: text })] },
    ]) {
      expect(toSignature(schema)).toEqual({ text: "(…)", isExact: false });
    }
  });

  test.each<[string, JsonSchema]>([
    ["other inputs of a type", { additionalProperties: text }],
    ["inputs that need others", { dependentRequired: { a: ["b"] } }],
    ["a condition", { if: { required: ["a"] }, else: false }],
    ["alternatives", { anyOf: [{ required: ["a"] }] }],
    ["a least number of inputs", { minProperties: 1 }],
  ])("It is not exact with %s", (_, more) => {
    expect(toSignature(object({ a: text }, more))).toEqual({
      text: "(a?: string)",
      isExact: false,
    });
  });

  test.each<[unknown, string]>([
    [0, "0"],
    [false, "false"],
    ["", '""'],
    ['say "a"', '"say \\"a\\""'],
    [JSON.rawJSON("12345678901234567890"), "12345678901234567890"],
  ])("The default %p is shown as JSON", (given, shown) => {
    expect(typeOf({ type: "string", default: given })).toEqual([`string = ${shown}`, true]);
  });

  test.each<[unknown]>([
    [null],
    [{ a: 1 }],
    [["a"]],
    ["x".repeat(41)],
  ])("The default %p is left out", (given) => {
    expect(typeOf({ type: "string", default: given })).toEqual(["string", true]);
  });
});

describe("types", () => {
  test.each<[string, unknown]>([
    ["string", text],
    ["string", { ...text, minLength: 1 }],
    ["string<date-time>", { ...text, format: "date-time" }],
    ["string<base64>", { ...text, contentEncoding: "base64" }],
    ["string", { ...text, format: 'x") = ignore' }],
    ["integer", { type: "integer", format: "int64" }],
    ["string|null", { type: ["string", "null"] }],
    ["any", {}],
    ["any", true],
    ["never", false],
    ['"a"', { const: "a" }],
    ['"a"|1|null', { enum: ["a", 1, null] }],
    ["any[]", { type: "array" }],
    ["(string|integer)[]", { type: "array", items: { type: ["string", "integer"] } }],
    ["object", { type: "object" }],
    ["Record<string, integer>", { type: "object", additionalProperties: { type: "integer" } }],
    [
      "{id: integer, name?: string}",
      object({ id: { type: "integer" }, name: text }, { required: ["id"] }),
    ],
    ["{id?: string}[]", { type: "array", items: { properties: { id: text } } }],
    ["string|integer", { anyOf: [text, { type: "integer" }] }],
    ["string|boolean", { oneOf: [text, { type: "boolean" }] }],
    ["string", { allOf: [text] }],
  ])("%s is exact", (shown, schema) => {
    expect(typeOf(schema)).toEqual([shown, true]);
  });

  test.each<[string, unknown]>([
    ["string", { ...text, pattern: "^a" }],
    ["string", { ...text, maxLength: 9 }],
    ["integer", { type: "integer", minimum: 1 }],
    ["string[]", { type: "array", items: text, maxItems: 3 }],
    ["string[]", { type: "array", items: { ...text, pattern: "^a" } }],
    ["any[]", { type: "array", prefixItems: [text] }],
    ["string", { allOf: [text, { pattern: "^a" }] }],
    ["string", { oneOf: [text, { ...text, format: "uri-reference" }] }],
    ["any", { oneOf: [{ required: ["a"] }, { required: ["b"] }] }],
    ["{b?: string}", object({ b: text }, { anyOf: [{ required: ["b"] }] })],
    ["object", { type: "object", required: ["b"] }],
    ["{…}", object(Object.fromEntries(Array.from({ length: 7 }, (_, at) => [`m${at}`, text])))],
    ["{b?: {c?: {…}}}", object({ b: object({ c: object({ d: text }) }) })],
    ['"a"|…', { enum: ["a", "x".repeat(41)] }],
    [
      '"0"|"1"|"2"|"3"|"4"|"5"|"6"|"7"|"8"|…',
      { enum: Array.from({ length: 10 }, (_, at) => `${at}`) },
    ],
    ["any", { enum: [{ a: 1 }] }],
  ])("%s is not exact", (shown, schema) => {
    expect(typeOf(schema)).toEqual([shown, false]);
  });

  test("References are followed in the schema", () => {
    const $defs = { user: object({ id: text }) };
    expect(typeOf({ $ref: "#/$defs/user" }, { $defs })).toEqual(["{id?: string}", true]);
    expect(typeOf({ $ref: "#/$defs/absent" }, { $defs })).toEqual(["any", true]);
  });
});
