/** Protects: stubs have the exports of their modules and none of what these do, and each test of the table has subjects. */
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { makeStub } from "./make-stub.ts";
import { blackBoxSubjects, findSubjects } from "./subjects.ts";

const root = resolve(import.meta.dirname, "../..");

test.each([
  ["export function a(b) { return b + 1; }", "export function a(b) { return undefined; }"],
  ["export async function a() { await b(); }", "export async function a() { return undefined; }"],
  [
    "export function a(): Promise<number> { return b(); }",
    "export function a(): Promise<number> { return Promise.resolve(undefined); }",
  ],
  ["export function* a() { yield 1; }", "export function* a() {}"],
  [
    "export const a = (b: number) => b + 1;",
    "export const a = (b: number) => { return undefined; };",
  ],
  ["export const a = async () => {};", "export const a = async () => { return undefined; };"],
  ["export class A extends B { c() {} }", "export class A {}"],
  ["export default function () { return 1; }", "export default function () { return undefined; }"],
  ["const a = () => 1; export { a };", "const a = () => { return undefined; }; export { a };"],
])("The stub of %s is %s", (module, stub) => {
  expect(makeStub("a.ts", module)).toBe(stub);
});

test("Constants, types and what is not exported stay", () => {
  const module = [
    "export const limit = 5;",
    "export const table = toTable(limit);",
    "export type A = { b(): void };",
    "function toTable(size: number) { return Array(size).fill(0); }",
    'export { other } from "./other.ts";',
  ].join("\n");
  expect(makeStub("a.ts", module)).toBe(module);
});

test("A stub runs, and its functions do nothing", async () => {
  const module =
    "let calls = 0; export const count = () => calls; export const add = async () => ++calls;";
  const url = `data:text/javascript,${encodeURIComponent(makeStub("a.ts", module))}`;
  const { count, add } = await import(url);
  expect([count(), await add(), count()]).toEqual([undefined, undefined, undefined]);
});

test("The subject is the module of the same name, otherwise what the test imports from its folder", () => {
  const imports = new Map<string, string[]>([
    ["packages/a/src/one.ts", []],
    ["packages/a/src/two.ts", []],
    ["packages/a/src/one.test.ts", ["packages/a/src/one.ts", "packages/a/src/two.ts"]],
    [
      "packages/a/src/whole.test.ts",
      ["packages/a/src/two.ts", "packages/a/src/testing/open.ts", "packages/b/src/far.ts"],
    ],
  ]);
  const subjects = findSubjects(imports);
  expect(subjects.get("packages/a/src/one.test.ts")).toEqual(["packages/a/src/one.ts"]);
  expect(subjects.get("packages/a/src/whole.test.ts")).toEqual(["packages/a/src/two.ts"]);
});

test("Every test and every module of the table exists", () => {
  const named = Object.entries(blackBoxSubjects).flatMap(([file, modules]) => [file, ...modules]);
  expect(named.length).toBeGreaterThan(60);
  expect(named.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});
