import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CatalogEntry } from "@hub/contract/plugin-catalog.ts";
import { keepValid } from "./keep-valid.ts";

let folder: string;
let path: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hub-catalog-"));
  path = join(folder, "plugins.json");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const hash = (text: string) => new Bun.CryptoHasher("sha256").update(text).digest("hex");
const entry = (version: string, files: Record<string, string>, key = "tracker"): CatalogEntry => ({
  key,
  name: "Tracker",
  description: "",
  version,
  assets: Object.fromEntries(Object.keys(files).map((name) => [name, `${key}-${version}.zip`])),
  sha256: Object.fromEntries(Object.entries(files).map(([name, text]) => [name, hash(text)])),
});

async function replace(before: CatalogEntry[], found: CatalogEntry[]) {
  await writeFile(path, JSON.stringify(before));
  await writeFile(join(folder, "tracker-1.0.0.zip"), "program");
  return await keepValid(path, found);
}

test("An archive of the same version that is still there stays in the catalog, and that is said", async () => {
  const before = [entry("1.0.0", { "linux/amd64": "program" })];
  const { catalog, notes } = await replace(before, [entry("1.0.0", { "hub/any": "thin" })]);
  expect(catalog).toMatchObject([
    {
      assets: { "hub/any": "tracker-1.0.0.zip", "linux/amd64": "tracker-1.0.0.zip" },
      sha256: { "hub/any": hash("thin"), "linux/amd64": hash("program") },
    },
  ]);
  expect(notes).toEqual([
    "tracker 1.0.0: kept from the catalog before, because the archive is still there: linux/amd64.",
  ]);
});

test("A new version without the platforms of the one before names them", async () => {
  const before = [entry("1.0.0", { "linux/amd64": "program", "darwin/arm64": "program" })];
  const found = [entry("1.1.0", { "hub/any": "thin" })];
  const { catalog, notes } = await replace(before, found);
  expect(catalog).toEqual(found);
  expect(notes).toHaveLength(1);
  expect(notes[0]).toContain("tracker 1.1.0 has no archive for darwin/arm64, linux/amd64.");
});

test("An archive that has changed, is gone or is on a web server is dropped, and that is said", async () => {
  const changed = entry("1.0.0", { "linux/amd64": "another program" });
  const gone = entry("1.0.0", { "linux/amd64": "program" }, "gone");
  const remote = { ...gone, key: "remote", assets: { "linux/amd64": "https://example.com/a.zip" } };
  const { catalog, notes } = await replace([changed, gone, remote], []);
  expect(catalog).toEqual([]);
  expect(notes).toEqual(
    ["tracker", "gone", "remote"].map(
      (key) => `${key} 1.0.0 is no longer in the catalog: there is no archive of it (linux/amd64).`,
    ),
  );
});

test("Without a catalog before, or with another file in its place, nothing is said", async () => {
  const found = [entry("1.0.0", { "hub/any": "thin" })];
  await writeFile(path, "{");
  expect(await keepValid(path, found)).toEqual({ catalog: found, notes: [] });
  expect(await keepValid(join(folder, "none.json"), found)).toEqual({ catalog: found, notes: [] });
});
