import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FencePlan } from "./launch-plan.ts";
import { listRules } from "./list-rules.ts";

let dir: string;
beforeAll(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), "hub-rules-")));
  for (const folder of ["app/data/home", "app/src", "app-2", "other"]) {
    mkdirSync(join(dir, folder), { recursive: true });
  }
  writeFileSync(join(dir, "file"), "");
  symlinkSync("app/data", join(dir, "link"));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** The rules in the folder of the test, by path. */
function list(plan: Partial<FencePlan>) {
  const rules = [...listRules({ hidden: [], kept: [], read: [], written: [], ...plan })];
  return Object.fromEntries(
    rules.flatMap(({ path, rights }) =>
      path.startsWith(dir) ? [[path.slice(dir.length), rights]] : [],
    ),
  );
}

test("All but the hidden folder is allowed, without the folders above it and without links", () => {
  expect(list({ hidden: [join(dir, "app/data")] })).toEqual({
    "/app-2": "all",
    "/app/src": "all",
    "/file": "all",
    "/other": "all",
  });
});

test("A kept folder is read, except for a hidden one in it", () => {
  expect(list({ hidden: [join(dir, "app/data")], kept: [join(dir, "app")] })).toMatchObject({
    "/app-2": "all",
    "/app/src": "read",
    "/other": "all",
  });
  expect(list({ kept: [join(dir, "app")] })).toMatchObject({ "/app": "read", "/other": "all" });
});

test("The folders of the program are allowed in hidden ones", () => {
  const own = join(dir, "app/data/home");
  expect(list({ hidden: [join(dir, "app")], written: [own], read: [dir] })).toEqual({
    "": "read",
    "/app-2": "all",
    "/app/data/home": "all",
    "/file": "all",
    "/other": "all",
  });
});

test("A data folder that is the whole system hides it", () => {
  expect([...listRules({ hidden: ["/"], kept: [], read: [], written: [] })]).toEqual([
    { path: "/", rights: "list" },
  ]);
});
