/** Protects: a test whose assertions an empty list leaves out is found, and others are not. */
import { expect, test } from "bun:test";
import { findFaults } from "./check-empty-loops.ts";
import { mayPassEmpty } from "./empty-loops/may-pass-empty.ts";
import { parseSource } from "./empty-loops/names.ts";

const findIn = (text: string, others: Record<string, string> = {}) => {
  const sources = new Map(
    Object.entries({ "test/a.test.ts": text, ...others }).map(([file, each]) => [
      file,
      parseSource(file, each),
    ]),
  );
  const read = (file: string) => sources.get(file) ?? null;
  return findFaults(parseSource("test/a.test.ts", text), read);
};

const inTest = (body: string) => `\ntest("title", async () => {\n  ${body}\n});\n`;

test.each([
  ["a query", "for (const row of await list(db)) expect(row).toBeNull();"],
  ["a filter of a constant", "for (const one of [1, 2].filter(isOdd)) expect(one).toBe(1);"],
  [
    "a list that is filled",
    "const a = []; a.push(...found); for (const b of a) expect(b).toBe(1);",
  ],
  [
    "a member that is filled",
    "const log = { lines: [] }; for (const a of log.lines) expect(a).toBe(1);",
  ],
  ["a callback", "readdirSync(folder).forEach((name) => { expect(name).toBe(''); });"],
  ["promises", "await Promise.all(found.map(async (one) => expect(await one()).toBe(1)));"],
  ["a stream", "for await (const chunk of open()) expect(chunk).toBe('');"],
  ["a computed limit", "for (let at = 0; at < text.length; at += 1) expect(text[at]).toBe('a');"],
  ["a condition", "while (await next()) expect(seen()).toBe(true);"],
  ["an inner list", "for (const a of [1, 2]) for (const b of find(a)) expect(b).toBe(1);"],
  ["a function", "const check = (a) => expect(a).toBe(1); for (const a of find()) check(a);"],
  [
    "a function with a loop",
    "function check(all) { for (const a of all) expect(a).toBe(1); } check(find());",
  ],
])("A test with all assertions in a loop over %s is found", (_, body) => {
  const text = inTest(body);
  expect(findIn(text)).toEqual([
    expect.stringContaining('test/a.test.ts:2: "title": all its assertions are in loops'),
  ]);
  expect(mayPassEmpty(text)).toBe(true);
});

test("An assertion of an imported function in such a loop is found", () => {
  const text = `import { check } from "./support/check.ts";${inTest("for (const a of find()) check(a);")}`;
  const check = "export function check(a) { expect(a).toBe(1); }";
  expect(findIn(text, { "test/support/check.ts": check })).toHaveLength(1);
  expect(findIn(text, { "test/support/check.ts": "export function check(a) {}" })).toEqual([]);
});

test("A function that throws for what it checks is an assertion, and one that throws otherwise is none", () => {
  const throwing = "{ if (a !== 1) throw new Error('no'); }";
  const loop = (name: string) => inTest(`for (const a of find()) ${name}(a);`);
  expect(findIn(`function checkOne(a) ${throwing}${loop("checkOne")}`)).toHaveLength(1);
  expect(findIn(`function open(a) ${throwing}${loop("open")}`)).toEqual([]);
});

test.each([
  ["literals", "for (const a of [1, 2]) expect(a).toBe(1);"],
  [
    "a table",
    "const table = { a: 1 }; for (const [b, c] of Object.entries(table)) expect(b).toBe(c);",
  ],
  [
    "what a constant maps to",
    "for (const a of await Promise.all([1].map(run))) expect(a).toBe(1);",
  ],
  [
    "a number of times",
    "const times = 3; for (let at = 0; at < times; at += 1) expect(at).toBe(1);",
  ],
  [
    "the items of a table",
    "for (const [all] of [[[1, 2]]]) for (const one of all) expect(one).toBe(1);",
  ],
  ["the parts of a text", "for (const line of text.split(',')) expect(line).toBe('');"],
  [
    "a list in a call",
    "function check(all) { for (const a of all) expect(a).toBe(1); } check([1, 2]);",
  ],
  [
    "a list that was compared",
    "expect(found).toEqual(['a']); for (const a of found) expect(a).toBe('a');",
  ],
  [
    "random values",
    "fc.assert(fc.property(fc.array(fc.nat()), (all) => { for (const a of all) expect(a); }));",
  ],
])("A loop over %s is no fault", (_, body) => {
  expect(findIn(inTest(body))).toEqual([]);
});

test("A table of another file is a constant", () => {
  const text = `import { table } from "./table.ts";${inTest("for (const a of table) expect(a).toBe(1);")}`;
  expect(findIn(text, { "test/table.ts": "export const table = [1, 2] as const;" })).toEqual([]);
  expect(findIn(text, { "test/table.ts": "export const table = list();" })).toHaveLength(1);
});

test.each([
  "const all = find(); test.each(all)('%s', (one) => { expect(one).toBe(1); });",
  "const all = find();\nfor (const one of all) { test(`it`, () => expect(one).toBe(1)); }",
  "const all = find(); describe.each(all)('%s', (one) => { test('is', () => expect(one).toBe(1)); });",
])("Tests that a computed list makes are found, unless another test compares the list: %s", (text) => {
  expect(findIn(text)).toEqual([expect.stringContaining("a computed list makes it")]);
  expect(mayPassEmpty(text)).toBe(true);
  const compared = `${text}\ntest("all", () => expect(all).toHaveLength(2));`;
  expect(findIn(compared)).toEqual([]);
});

test("A text in which each test has a statement that asserts is not parsed", () => {
  const text = inTest("expect(1).toBe(1);\n  for (const a of find()) expect(a).toBe(1);");
  expect([mayPassEmpty(text), findIn(text)]).toEqual([false, []]);
  expect(mayPassEmpty(`${text}${inTest("if (is()) expect(1).toBe(1);")}`)).toBe(true);
});
