import { expect, test } from "bun:test";
import { z } from "zod";
import { issueWords } from "./issue-words.ts";

const kind = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("a") }),
  z.object({ kind: z.literal("b") }),
]);

/** A schema and a value for each kind of issue. */
const cases: [string, z.ZodType, unknown][] = [
  ["is required", z.string(), undefined],
  ["must be a text", z.string(), 1],
  ["must be a number", z.number(), "1"],
  ["must be a number", z.number(), Number.NaN],
  ["must be a whole number", z.int(), 1.5],
  ["must be true or false", z.boolean(), null],
  ["must be null", z.null(), 1],
  ["must be an object", z.object({}), []],
  ["must be an object", z.record(z.string(), z.string()), "x"],
  ["must be a list", z.array(z.string()), {}],
  ["must be a list", z.tuple([z.string()]), 1],
  ["must be left out", z.never(), 1],
  ["must be of another type", z.symbol(), 1],
  ["must be a", z.literal("a"), "b"],
  ["must be one of: a, b", z.enum(["a", "b"]), "c"],
  ["must be one of: a, b", z.literal(["a", "b"]), 1],
  ["must not be empty", z.string().min(1), ""],
  ["must not be empty", z.array(z.string()).min(1), []],
  ["must have at least 2 characters", z.string().min(2), "a"],
  ["must have at most 1 character", z.string().max(1), "ab"],
  ["must have exactly 3 characters", z.string().length(3), "ab"],
  ["must have at most 2 items", z.array(z.number()).max(2), [1, 2, 3]],
  ["must be at least 5", z.number().min(5), 1],
  ["must be more than 0", z.number().positive(), 0],
  ["must be less than 3", z.number().lt(3), 3],
  ["must be a multiple of 5", z.number().multipleOf(5), 6],
  ["must be a UUID, such as 8d4c1f0e-6b52-4a7d-9e3b-5f20c7a91d64", z.uuid(), "x"],
  ["must be an email address, such as ada@example.com", z.email(), "x"],
  ["must be a full URL, such as https://example.com", z.url(), "x"],
  ["must be an RFC 3339 time, such as 2026-11-20T09:42:00Z", z.iso.datetime(), "x"],
  ["must be a date, such as 2026-11-20", z.iso.date(), "x"],
  ["must be an IPv4 address, such as 192.0.2.1", z.ipv4(), "x"],
  ["must be base64", z.base64(), "?"],
  ["must be in the format cuid2", z.cuid2(), "?"],
  ["must match the pattern /^a+$/", z.string().regex(/^a+$/), "b"],
  ['must begin with "a"', z.string().startsWith("a"), "b"],
  ['must end with "a"', z.string().endsWith("a"), "b"],
  ['must contain "a"', z.string().includes("a"), "b"],
  ["has members that are not known: x, y", z.strictObject({}), { x: 1, y: 2 }],
  [
    "has a name that must match the pattern /^a$/",
    z.record(z.string().regex(/^a$/), z.any()),
    { b: 1 },
  ],
  ["must be one of: a, b", kind, { kind: "c" }],
  ["must be a text, or must be a list", z.union([z.string(), z.array(z.string())]), 1],
  [
    "has none of the allowed forms",
    z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]),
    { a: 1 },
  ],
  ["is not valid", z.string().refine(() => false), "x"],
  ["is not valid", z.custom(() => false), "x"],
  ["must be the words of the schema", z.string("must be the words of the schema"), 1],
];

test.each(cases)("A refused value %s", (words, schema, value) => {
  const parsed = schema.safeParse(value, { error: issueWords });
  const [issue] = parsed.error?.issues ?? [];
  expect(issue?.message).toBe(words);
});
