/**
 * Builds the checkout's catalog of plugins: builds every folder of `plugins/` for this machine or for the
 * targets in the arguments, and as a thin plugin, and lists the archives in `.plugins/plugins.json`. A hub of this checkout
 * installs them by name. Thin plugins need no network, so they are built first. What cannot be built is named,
 * and the exit code is 1.
 */
import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { writeCatalog } from "../packages/cli/src/wick/publish/write-catalog.ts";
import { buildOwnPlugin, listOwnPlugins } from "./build/build-thin-plugins.ts";
import { describeBuildFailure } from "./build/describe-build-failure.ts";
import { removeOldArchives } from "./build/remove-old-archives.ts";

const root = resolve(import.meta.dirname, "..");
const out = join(root, ".plugins");
const targets = process.argv.slice(2);

const keys = await listOwnPlugins(root);
await mkdir(out, { recursive: true });
await removeOldArchives(root, out, keys);
const missing: string[] = [];
const builds = [
  ...keys.map((key) => ({ key, form: "a thin plugin", targets: "thin" as const })),
  ...keys.map((key) => ({ key, form: targets.join(", ") || "this machine", targets })),
];
for (const { key, form, targets } of builds) {
  try {
    await buildOwnPlugin({ root, key, out, targets });
  } catch (cause) {
    const what = targets === "thin" ? `${key} as ${form}` : `${key} for ${form}`;
    missing.push(what);
    console.error(`Not built: ${what}. ${describeBuildFailure(cause)}`);
  }
}
const file = join(out, "plugins.json");
const { catalog, notes } = await writeCatalog(
  { cwd: root, env: process.env },
  { repo: null, from: out, baseUrl: null, out: file },
);
for (const note of notes) console.error(note);
console.error(`${catalog.length} plugins in ${file}:`);
for (const { key, version, assets } of catalog) {
  console.error(`  ${key} ${version}: ${Object.keys(assets).join(", ")}`);
}
if (missing.length > 0) {
  console.error(`Missing: ${missing.join("; ")}. What the list above names can be installed.`);
  process.exitCode = 1;
}
