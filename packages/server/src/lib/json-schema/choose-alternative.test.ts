import { expect, test } from "bun:test";
import { createSchemaChecker } from "./check-schema.ts";

const kinds = [
  {
    type: "object",
    properties: { kind: { const: "file" }, path: { type: "string" }, mode: { type: "integer" } },
    required: ["kind", "path"],
  },
  {
    type: "object",
    properties: { kind: { enum: ["url"] }, url: { type: "string" }, timeout: { type: "integer" } },
    required: ["kind", "url"],
  },
];
const named = [
  { title: "By id", type: "object", properties: { id: { type: "integer" } }, required: ["id"] },
  {
    type: "object",
    properties: { name: { type: "string" }, team: { type: "string" } },
    required: ["name", "team"],
  },
];
const text = { type: "string" };
const list = { type: "array", items: { type: "integer" } };
const $defs = { file: kinds[0], url: kinds[1] };
const references = [{ $ref: "#/$defs/file" }, { $ref: "#/$defs/url" }];

test.each<[string, unknown[], unknown, string, string]>([
  [
    "the kind of a value",
    kinds,
    { kind: "url" },
    "a.url",
    'is required (in the form with kind "url")',
  ],
  [
    "the other kind",
    kinds,
    { kind: "file" },
    "a.path",
    'is required (in the form with kind "file")',
  ],
  [
    "the kind, whatever else there is",
    kinds,
    { kind: "file", url: "u", timeout: 1 },
    "a.path",
    'is required (in the form with kind "file")',
  ],
  [
    "a fault deep in the kind",
    kinds,
    { kind: "url", url: "u", timeout: "x" },
    "a.timeout",
    'must be integer (in the form with kind "url")',
  ],
  ["references", references, { kind: "url" }, "a.url", 'is required (in the form with kind "url")'],
  [
    "the members of a value",
    named,
    { name: "x" },
    "a.team",
    "is required (in the form with name, team)",
  ],
  ["the title of a form", named, { id: "x" }, "a.id", 'must be integer (in the form "By id")'],
  [
    "the only form of the value's type",
    [text, list, kinds[0]],
    [1, "x"],
    "a[1]",
    "must be integer",
  ],
  ["the only object", [text, kinds[1]], { kind: "url" }, "a.url", "is required"],
  ["all types, if none fits", [text, list], true, "a", "must be string or array, such as [1]"],
  [
    "all types of plain values",
    [text, { type: "integer" }, { type: "null" }],
    true,
    "a",
    "must be string or integer or null",
  ],
  ["the form of a list", [list, { type: "null" }], true, "a", "must be array or null, such as [1]"],
])("The problem of alternatives is that of the best one: %s", (_, alternatives, value, path, message) => {
  for (const keyword of ["anyOf", "oneOf"]) {
    const schema = { properties: { a: { [keyword]: alternatives } }, $defs };
    expect(createSchemaChecker(schema)({ a: value })).toEqual({ path, message });
  }
});

test.each<[unknown, string]>([
  [list, "must be array, such as [1]"],
  [{ type: "array" }, 'must be array, such as ["…"]'],
  [kinds[0], 'must be object, such as {"kind":"file","path":"…"}'],
  [{ type: "object" }, "must be object, such as {}"],
  [{ type: "array", items: { enum: ["low", "high"] } }, 'must be array, such as ["low"]'],
  [
    { type: "object", properties: { since: { type: "string", examples: ["2026-01-01"] } } },
    'must be object, such as {"since":"2026-01-01"}',
  ],
  [
    { type: "array", items: { type: "array", items: { type: "array", items: text } } },
    "must be array, such as [[[]]]",
  ],
  [{ type: "array", items: { const: "x".repeat(500) } }, 'must be array, such as ["…"]'],
])("A refused type of an object or a list shows its form: %j", (schema, message) => {
  expect(createSchemaChecker({ properties: { a: schema } })({ a: "words" })).toEqual({
    path: "a",
    message,
  });
});

test("A name of a million dots costs no more than another name of this length", () => {
  const check = createSchemaChecker({
    anyOf: Array.from({ length: 20 }, (_, at) => ({
      type: "object",
      title: `form ${at}`,
      additionalProperties: { type: "number" },
    })),
  });
  const measure = (name: string) => {
    const before = process.cpuUsage();
    expect(check({ [name]: "x" })?.message).toContain("must be number");
    return process.cpuUsage(before).user / 1000;
  };
  expect(measure(".".repeat(1_000_000))).toBeLessThan(measure("a".repeat(1_000_000)) + 500);
});
