/**
 * The hub's checker of params against the tests of the specification of JSON Schema and against `ajv`, another
 * checker. What differs is listed, and the lists are exact.
 */
import { expect, setDefaultTimeout, test } from "bun:test";
import { isJsonObject, type JsonSchema } from "@hub/connector";
import {
  cleanSchema,
  SchemaRefusal,
} from "../../packages/server/src/connectors/by-row/clean-schema.ts";
import { createSchemaChecker } from "../../packages/server/src/lib/json-schema/check-schema.ts";
import { createRandom } from "../support/random.ts";
import { createAjvChecker } from "./support/ajv-checker.ts";
import { readSchemaSuite } from "./support/json-schema-suite.ts";

setDefaultTimeout(180_000);

/** The checker of a schema of any type, as the params of an operation have it. Null if it is refused. */
function createChecker(schema: unknown, $schema?: string): ((value: unknown) => boolean) | null {
  const root: JsonSchema = {
    ...($schema !== undefined && { $schema }),
    type: "object",
    properties: { value: moveReferences(schema) },
  };
  try {
    const check = createSchemaChecker(cleanSchema(root, (text) => text));
    return (value) => check({ value }) === null;
  } catch (thrown) {
    if (thrown instanceof SchemaRefusal) return null;
    throw thrown;
  }
}

/** The schema's own root is now a member. */
function moveReferences(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(moveReferences);
  if (!isJsonObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, member]) => {
      if (key === "enum" || key === "const") return [key, member];
      const isLocal = key === "$ref" && typeof member === "string" && /^#(?:\/|$)/.test(member);
      return [key, isLocal ? `#/properties/value${member.slice(1)}` : moveReferences(member)];
    }),
  );
}

/** How many tests of a file: admitted although invalid, refused although valid, schema not accepted. */
type Deviation = { admitted?: number; refused?: number; unaccepted?: number };

const deviations: { [file: string]: Deviation } = {
  // A reference by a name or an address, and not by a path from the root, is not followed.
  "anchor.json": { unaccepted: 8 },
  "defs.json": { unaccepted: 2 },
  "dynamicRef.json": { admitted: 3, unaccepted: 36 },
  "ref.json": { admitted: 1, unaccepted: 35 },
  "refRemote.json": { unaccepted: 31 },
  // The outside system checks what no keyword has looked at.
  "unevaluatedItems.json": { admitted: 23, unaccepted: 2 },
  "unevaluatedProperties.json": { admitted: 43, unaccepted: 2 },
  // It needs `unevaluatedProperties` inside of `not`.
  "not.json": { refused: 1 },
  // No schema describes a member `__proto__`.
  "properties.json": { admitted: 1 },
};

const suite = await readSchemaSuite();
const skipped = suite instanceof Map ? "" : ` (skipped: ${suite.reason})`;

test.skipIf(skipped !== "")(
  `The tests of the specification pass, except those listed${skipped}`,
  () => {
    const found: { [file: string]: Deviation } = {};
    let passed = 0;
    for (const [file, groups] of suite instanceof Map ? suite : []) {
      for (const { schema, tests } of groups) {
        const check = createChecker(schema);
        for (const { data, valid } of tests) {
          const kind = check === null ? "unaccepted" : valid ? "refused" : "admitted";
          if (check?.(data) === valid) {
            passed += 1;
            continue;
          }
          const counts = found[file] ?? {};
          found[file] = { ...counts, [kind]: (counts[kind] ?? 0) + 1 };
        }
      }
    }
    expect(found).toEqual(deviations);
    expect(passed).toBeGreaterThan(900);
  },
);

/** Texts that two checkers could read in different ways, by format. */
const formatTexts: { [format: string]: string[] } = {
  date: [
    "2024-02-29",
    "2023-02-29",
    "1900-02-29",
    "2000-02-29",
    "2024-4-1",
    "2024-13-01",
    "24-01-01",
    "",
  ],
  "date-time": [
    ...[
      "2024-02-29T12:00:00Z",
      "2024-02-30T12:00:00Z",
      "2024-02-29t12:00:00z",
      "2024-02-29 12:00:00Z",
    ],
    ...["2024-02-29T12:00:00", "2024-02-29T24:00:00Z", "2024-02-29T12:00:00.123456+05:30"],
    ...["2024-02-29T12:00:00+0530", "2024-02-29T12:00:00+24:00", "2024-02-29T12:60:00Z"],
    ...["2016-12-31T23:59:60Z", "2024-02-29T12:00:60Z"],
  ],
  email: [
    ...[
      "ada@example.com",
      "ada",
      "@example.com",
      "ada@",
      "ada byron@example.com",
      "a@b@c.d",
      "ä@example.com",
    ],
    ...['"ada byron"@example.com', ".ada@example.com", "ada@example", "ada@-example.com"],
  ],
  ipv4: [
    "127.0.0.1",
    "127.0.0.1.",
    "256.0.0.1",
    "1.2.3",
    "01.2.3.4",
    "1.2.3.4.5",
    " 1.2.3.4",
    "１.2.3.4",
  ],
  uri: [
    ...[
      "https://example.com/a?b#c",
      "example.com",
      "//example.com",
      "urn:isbn:1",
      "mailto:a@b.c",
      "1a:b",
    ],
    ...[
      "https://exämple.com",
      "https://example.com/a b",
      "http://999.999.999.999/",
      "https://[::1]/",
      "a:",
    ],
    ...[
      "https://example.com/%zz",
      "https://example.com/{id}",
      "https://example.com/a|b",
      "file:///etc",
    ],
  ],
  uuid: [
    ...["123e4567-e89b-12d3-a456-426614174000", "123E4567-E89B-12D3-A456-426614174000"],
    ...[
      "123e4567e89b12d3a456426614174000",
      "urn:uuid:123e4567-e89b-12d3-a456-426614174000",
      "g23e4567-e89b-12d3-a456-426614174000",
    ],
  ],
};

/** Texts that the hub admits and `ajv` refuses. The outside system decides. */
const admittedFormats = [
  "date-time: 2024-02-29T12:00:60Z",
  "email: ä@example.com",
  'email: "ada byron"@example.com',
  "email: .ada@example.com",
  "email: ada@example",
  "email: ada@-example.com",
  "uri: https://exämple.com",
  "uri: a:",
  "uri: https://example.com/%zz",
];

/** In other dialects a format is a note. */
const formatAssertion = "https://json-schema.org/draft/2020-12/meta/format-assertion";

test("Formats admit all that another checker admits, and more only as listed", () => {
  const ajv = createAjvChecker();
  const admitted: string[] = [];
  const refused: string[] = [];
  for (const [format, texts] of Object.entries(formatTexts)) {
    const check = createChecker({ format }, formatAssertion);
    const fits = ajv({ format });
    for (const text of texts) {
      const isGood = check?.(text) === true;
      if (isGood !== fits(text)) (isGood ? admitted : refused).push(`${format}: ${text}`);
    }
  }
  // It reads it as an address of a UUID.
  expect(refused).toEqual(["uuid: urn:uuid:123e4567-e89b-12d3-a456-426614174000"]);
  expect(admitted).toEqual(admittedFormats);
});

type Random = ReturnType<typeof createRandom>;

/** A schema of keywords that the hub checks, with values that come near it. */
function toRandomSchema(random: Random, depth: number): unknown {
  const { below, pick } = random;
  if (depth === 0)
    return pick([true, false, {}, { type: "string" }, { type: "integer" }, { const: 1 }]);
  const inner = () => toRandomSchema(random, depth - 1);
  const some = () => Array.from({ length: 1 + below(3) }, inner);
  const names = () => Array.from({ length: below(3) }, () => pick(["a", "b", "ab"]));
  const keywords: (() => object)[] = [
    () => ({ type: pick(["object", "array", "string", "number", "integer", "boolean", "null"]) }),
    () => ({ type: ["array", "object"] }),
    () => ({ enum: [1, "a", null, { a: 1 }, [1]] }),
    () => ({ const: pick<unknown>([1, 1.5, "ab", null, { a: 1, b: [] }, [1, 1]]) }),
    () => ({ minimum: below(3), exclusiveMaximum: 3 }),
    () => ({ maximum: below(3), exclusiveMinimum: -1 }),
    () => ({ multipleOf: pick([1, 2, 0.5]) }),
    () => ({ minLength: below(3), maxLength: 1 + below(3) }),
    () => ({ pattern: pick(["^a", "b$", "^[a-c]{2}$", "\\d", "^\\S+$"]) }),
    () => ({ items: inner(), minItems: below(2) }),
    () => ({ prefixItems: some(), items: inner() }),
    () => ({ contains: inner(), minContains: below(3), maxContains: 1 + below(3) }),
    () => ({ uniqueItems: true, maxItems: 3 }),
    () => ({ properties: { a: inner(), b: inner() }, additionalProperties: inner() }),
    () => ({ patternProperties: { "^a": inner() }, additionalProperties: inner() }),
    () => ({ propertyNames: { maxLength: 1 }, minProperties: below(2), maxProperties: 2 }),
    () => ({ required: [...new Set(names())] }),
    () => ({ dependentRequired: { a: [...new Set(names())] }, dependentSchemas: { b: inner() } }),
    () => ({ allOf: some() }),
    () => ({ anyOf: some() }),
    () => ({ oneOf: some() }),
    () => ({ not: inner() }),
    () => Object.fromEntries(["if", "then", "else"].map((name) => [name, inner()])),
  ];
  const parts = Array.from({ length: 1 + below(3) }, () => pick(keywords)());
  const schema = Object.assign({}, ...parts);
  // The other checker does not look for `contains` in an empty list if there are `prefixItems`.
  if ("prefixItems" in schema) delete schema.contains;
  return schema;
}

function toRandomValue(random: Random, depth: number): unknown {
  const { below, pick } = random;
  const inner = () => toRandomValue(random, depth - 1);
  const kind = below(depth > 0 ? 4 : 2);
  if (kind === 2) return Array.from({ length: below(4) }, inner);
  if (kind === 3)
    return Object.fromEntries(["a", "b", "ab"].slice(0, below(4)).map((name) => [name, inner()]));
  return pick<unknown>([
    0,
    1,
    2,
    1.5,
    -1,
    0.3,
    "",
    "a",
    "ab",
    "b1",
    "\u{1F600}",
    true,
    false,
    null,
  ]);
}

test("Random values fit random schemas as another checker sees it", () => {
  const random = createRandom(20_260_612);
  const ajv = createAjvChecker();
  const differing: unknown[] = [];
  const verdicts = new Map<boolean, number>();
  for (let round = 0; round < 150; round += 1) {
    const schema = toRandomSchema(random, 3);
    const check = createChecker(schema);
    const fits = ajv(schema);
    for (let count = 0; count < 25; count += 1) {
      const value = toRandomValue(random, 3);
      const expected = fits(value);
      verdicts.set(expected, (verdicts.get(expected) ?? 0) + 1);
      if (check?.(value) !== expected) differing.push({ schema, value, expected });
    }
  }
  expect(differing).toEqual([]);
  // Neither verdict is rare.
  for (const count of [verdicts.get(true), verdicts.get(false)])
    expect(count).toBeGreaterThan(1000);
});
