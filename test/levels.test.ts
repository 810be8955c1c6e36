/**
 * The checks of `npm run check:levels`, which CI runs on all sources, find the faults that they are for.
 */
import { expect, test } from "bun:test";
import { join, resolve } from "node:path";
import { findComponents } from "../scripts/check-circles.ts";
import { findFaults as findUnnamedColumns } from "../scripts/check-columns.ts";
import { findFault as findFaultyImport } from "../scripts/check-levels.ts";
import { findFaults as findPacked } from "../scripts/check-packing.ts";
import { findFaults as findFaultySearches, readSource } from "../scripts/check-text-search.ts";
import { findFaults } from "../scripts/check-transactions.ts";

const root = resolve(import.meta.dirname, "..");
const server = "packages/server/src";

test.each([
  [`${server}/store/rows.ts`, "../services/users.ts", "imports go to a lower level"],
  [`${server}/store/rows.ts`, "../unknown/users.ts", "has no level"],
  [`${server}/mcp/mcp.ts`, "./tools/hub-execute.ts", "the protocol knows no tool"],
  [`${server}/services/users.ts`, "bun:sqlite", "only store/ knows the kind of database"],
  [`${server}/services/users.ts`, "../../../cli/src/cli.ts", "import the package by its name"],
  ["packages/connector/src/index.ts", "@hub/server/hub.ts", "may not import"],
  ["plugins/logs/src/main.ts", "@hub/server/hub.ts", "may not import"],
  ["plugins/logs/src/main.ts", "../../codehost/src/main.ts", "a plugin imports its own files"],
])("In %s, an import of %s is found", (file, specifier, fault) => {
  expect(findFaultyImport(join(root, file), specifier)).toContain(fault);
});

test.each([
  [`${server}/services/users.ts`, "../store/rows.ts"],
  [`${server}/services/users.ts`, "./tokens.ts"],
  [`${server}/store/open-store.ts`, "bun:sqlite"],
  ["packages/server/src/hub.ts", "@hub/connector"],
  ["plugins/logs/src/main.ts", "@hub/connector/plugin"],
])("In %s, an import of %s is no fault", (file, specifier) => {
  expect(findFaultyImport(join(root, file), specifier)).toBeNull();
});

test("A circle of imports is found, without the files that lead to it or from it", () => {
  const imports = { a: ["b"], b: ["c"], c: ["d", "b"], d: ["outside"] };
  expect(findComponents(new Map(Object.entries(imports)))).toEqual([["a"], ["b", "c"], ["d"]]);
});

test.each([
  ["the clock", "async (trx) => { await touch(trx, Date.now()); }"],
  ["random numbers", "(trx) => insert(trx, crypto.randomUUID())"],
  ["files and keys", "async (trx) => seal(await ring.reload())"],
  ["the network", "async () => { await fetch(url); }"],
  ["the database itself", "async () => { await list(store.db); }"],
])("A transaction that uses %s is found", (what, callback) => {
  const faults = findFaults(new Map([["a.ts", `\nawait transaction(store.db, ${callback});`]]));
  expect(faults).toEqual([expect.stringContaining(`a.ts:2: a transaction uses ${what} (`)]);
});

test.each([
  ["the clock", "export const stamp = (row) => ({ ...row, at: new Date() });"],
  ["random numbers", "export function stamp(row) { return { ...row, id: Bun.randomUUIDv7() }; }"],
  [
    "random numbers",
    'import { randomBytes } from "node:crypto";\nexport const stamp = () => randomBytes(12);',
  ],
  [
    "files and keys",
    'import { readFileSync } from "node:fs";\nexport const stamp = (row) => readFileSync(row);',
  ],
  [
    "the network",
    'import { lookup } from "node:dns/promises";\nexport const stamp = (row) => lookup(row);',
  ],
])("A transaction that uses %s by a function of a function of another file is found", (what, text) => {
  const faults = findFaults(
    new Map([
      [
        "packages/server/src/services/a.ts",
        'import { write } from "../store/b.ts";\nawait transaction(store.db, (trx) => write(trx, rows));',
      ],
      [
        "packages/server/src/store/b.ts",
        'import { stamp as toStamped } from "@hub/server/lib/c.ts";\nexport async function write(trx, rows) {\n  await insert(trx, rows.map(toStamped));\n}',
      ],
      ["packages/server/src/lib/c.ts", text],
    ]),
  );
  expect(faults).toEqual([
    expect.stringMatching(
      new RegExp(
        `services/a.ts:2: a transaction uses ${what} \\(.* in packages/server/src/lib/c.ts:\\d+, by write, stamp`,
      ),
    ),
  ]);
});

test("A transaction that uses only its parts, and functions of the same names as what it is given, is found without fault", () => {
  const text = [
    "const now = () => Date.now();",
    "function seal(change) { return transaction(db, (trx) => change(trx)); }",
    "const change = () => Math.random();",
    "await transaction(db, async (trx, now) => { await insert(trx, now, new Date(5), Bun.randomUUIDv5(a, b)); });",
  ];
  expect(findFaults(new Map([["a.ts", text.join("\n")]]))).toEqual([]);
});

test.each([
  'db.selectFrom("users").selectAll().execute();',
  'db.selectFrom("users").selectAll("users").execute();',
  'db.deleteFrom("users").returningAll().execute();',
  "sql`select * from users`;",
  "sql`delete from users returning users.*`;",
])("A query of all columns is found: %s", (text) => {
  expect(findUnnamedColumns("a.ts", `\n${text}`)).toEqual([expect.stringContaining("a.ts:2: ")]);
});

test("All columns of a subquery that names its own are not found", () => {
  const text = 'db.selectFrom(part.select(["id"]).as("part")).selectAll("part");';
  expect(findUnnamedColumns("a.ts", text)).toEqual([]);
});

const findIn = (text: string) => findFaultySearches([readSource("a.ts", text)], {});

test.each([
  "export const has = (text: string, part: string) => text.includes(part);",
  "const at = (text: string, part: string) => text.toLowerCase().indexOf(part, 1);",
  "const at = (text: string, part: string) => text?.lastIndexOf('a' + part);",
  "const cut = ({ text, by }: { text: string; by: string }) => text.split(by);",
  "const hide = (text: string, secret: string) => text.replace(secret, '');",
  "const hide = (text: string, secret: string) => text.replaceAll(secret, () => '');",
  "const by = 'a'; function cut(text: string, by: string) { return text.split(by); }",
  "const match = (text: string, pattern: string) => new RegExp(pattern).test(text);",
])("A search for what may be data is found: %s", (text) => {
  expect(findIn(text)).toEqual([expect.stringContaining("may be data; use ")]);
});

test.each([
  "const has = (text: string) => text.includes('a') || text.split(/b+/).length > 1;",
  "const by = ','; const cut = (text: string) => text.split(by);",
  "const mark = /a+/g; const hide = (text: string) => text.replace(mark, '');",
  "const has = (items: readonly string[], item: string) => items.includes(item);",
  "const has = (item: string) => ['a', 'b'].includes(item);",
  "type A = { names: string[] | null }; const has = (a: A, name: string) => a.names?.includes(name);",
  "const list = (all: string) => { const some = all.split(','); return some.indexOf(all); };",
  "const bytes = (all: Buffer, part: Buffer) => all.includes(part);",
  "const isOne = (char: string) => '.,:'.includes(char);",
])("A search that is short or linear, or in a list, is not reported: %s", (text) => {
  expect(findIn(text)).toEqual([]);
});

test("An exception that no search needs is reported", () => {
  const exceptions = { "a.ts": { "text.includes(part)": "It is short." } };
  expect(findFaultySearches([readSource("a.ts", "export {};")], exceptions)).toEqual([
    "a.ts: the exception for text.includes(part) is not needed; remove it",
  ]);
});

test.each([
  ["members", "const a = {\n  ...{ b, c },\n  d,\n};"],
  ["members", "const a = {\n  ...({ b, c }),\n};"],
  ["items", "const a = [\n  ...[b, c],\n];"],
  ["items", "call(\n  ...([1, 'b'] as const),\n);"],
  ["items", "new A(\n  ...[],\n);"],
  ["attributes", "const a = (\n  <A {...{ b, c }} />\n);"],
])("Packed %s are found: %s", (what, text) => {
  expect(findPacked("a.tsx", text)).toEqual([
    `a.tsx:2: ${what} are packed by a spread of a literal; write them out`,
  ]);
});

test.each([
  "const a = { ...b, ...(c ? { d } : {}), ...(e && { f }) };",
  "const a = [...b, ...(c ? [d] : []), ...[...e].map(f)];",
  "const a = ['row', ...['--label', label]];",
  "call(...([input] as Arguments));",
  "const a = <A {...props} {...(b && { c })} />;",
])("A spread that packs nothing is not found: %s", (text) => {
  expect(findPacked("a.tsx", text)).toEqual([]);
});
