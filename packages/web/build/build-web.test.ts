import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildWeb } from "./build-web.ts";

const firstPageBytesMax = 180 * 1024;

const out = mkdtempSync(join(tmpdir(), "hub-web-"));
type Manifest = { entry: string; preloads: string[]; styles: string[]; files: string[] };
let manifest: Manifest;

beforeAll(async () => {
  await buildWeb({ folder: join(import.meta.dirname, ".."), out });
  manifest = await Bun.file(join(out, "manifest.json")).json();
}, 60_000);
afterAll(() => rmSync(out, { recursive: true }));

/** A module with everything that it imports at once. */
async function collectModules(name: string, found = new Set<string>()): Promise<Set<string>> {
  if (found.has(name)) return found;
  found.add(name);
  const code = await Bun.file(join(out, name)).text();
  for (const [, next] of code.matchAll(/(?:from|import)"\/assets\/app\/([^"]+\.js)"/g)) {
    await collectModules(next ?? "", found);
  }
  return found;
}

test("The first page needs at most 180 KiB of compressed JavaScript", async () => {
  const home = manifest.files.find((name) => /^home-page\..*\.js$/.test(name)) ?? "";
  const modules = await collectModules(home, await collectModules(manifest.entry));
  const sizes = [...modules].map((name) => statSync(join(out, `${name}.br`)).size);
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  expect(bytes).toBeGreaterThan(50_000);
  expect(bytes).toBeLessThanOrEqual(firstPageBytesMax);
});

test("The manifest names every file, and each file has its compressed forms", () => {
  const written = readdirSync(out).filter((name) => name !== "manifest.json");
  const forms = manifest.files.flatMap((name) => [name, `${name}.br`, `${name}.gz`]);
  expect(written.sort()).toEqual(forms.sort());
  expect(manifest.files).toContain(manifest.entry);
});

test("The built app contains no path of this machine", async () => {
  for (const name of manifest.files) {
    expect(await Bun.file(join(out, name)).text()).not.toContain(join(import.meta.dirname, ".."));
  }
});
