import { join, resolve } from "node:path";
import { takeBuiltPlugin } from "./build-once.ts";

const checkout = resolve(import.meta.dirname, "../..");
const wick = join(checkout, "packages/cli/src/wick.ts");

/**
 * Builds plugins of this checkout for this machine, and lists them in a catalog in `folder`: the
 * value for HUB_PLUGIN_CATALOG. The checkout's own `.plugins` is left alone: others may be using it.
 */
export async function buildPluginCatalog(keys: readonly string[], folder: string): Promise<string> {
  const catalog = join(folder, "plugins.json");
  for (const key of keys) await takeBuiltPlugin(key, folder);
  await run("catalog", "--from", folder, "--out", catalog);
  return catalog;
}

async function run(...args: string[]): Promise<void> {
  const child = Bun.spawn([process.execPath, wick, "plugin", ...args], {
    cwd: checkout,
    // The runtimes that were fetched before are found in the caller's home.
    env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "" },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
  });
  const stderr = await child.stderr.text();
  if ((await child.exited) !== 0) throw new Error(`wick plugin ${args.join(" ")}: ${stderr}`);
}
