/**
 * Builds the checkout's catalog of plugins: builds every folder of `plugins/` for this machine or for the
 * targets in the arguments, and as a thin plugin, and lists the archives in `.plugins/plugins.json`. A hub of this checkout
 * installs them by name.
 */
import { existsSync } from "node:fs";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { buildPlugin } from "../packages/cli/src/wick/build-plugin.ts";
import { writeCatalog } from "../packages/cli/src/wick/write-catalog.ts";

const root = resolve(import.meta.dirname, "..");
const sources = join(root, "plugins");
const out = join(root, ".plugins");

async function listPlugins(): Promise<string[]> {
  const entries = await readdir(sources, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory() && existsSync(join(sources, entry.name, "package.json")))
    .map((entry) => entry.name)
    .sort();
}

const keys = await listPlugins();
await rm(out, { recursive: true, force: true });
await mkdir(out);
for (const key of keys) {
  for (const thin of [null, { hub: null }]) {
    await buildPlugin({
      cwd: root,
      names: { wick: "npx wick", hub: "npx hub" },
      key,
      targets: process.argv.slice(2),
      thin,
      out,
      protocol: 2,
      compress: true,
      signKeyFile: null,
      cosignKeyFile: null,
      report: (line) => console.error(line),
    });
  }
}
const file = join(out, "plugins.json");
await writeCatalog(
  { cwd: root, env: process.env },
  { repo: null, from: out, baseUrl: null, out: file },
);
console.error(`${keys.length} plugins in ${file}`);
