import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { type PluginManifest, toEntryName } from "@hub/contract/plugin-manifest.ts";
import { refusePlugin } from "./refuse-plugin.ts";

/** The program that a manifest names: a file of its own in the plugin's folder. */
export async function findProgram(manifest: PluginManifest, dir: string): Promise<string> {
  // The manifest's schema lets no path through, only a file name.
  const name = toEntryName(manifest);
  const path = join(dir, name);
  const stats = await lstat(path).catch(() => null);
  if (stats?.isFile()) return path;
  throw refusePlugin({
    plugin: manifest.module.Meta.Key,
    check: "program",
    expected: `the file ${name} beside plugin.json`,
    found: stats === null ? "nothing of that name" : "something that is no plain file",
    remedy: "Get a whole archive of the plugin, and install that.",
  });
}
