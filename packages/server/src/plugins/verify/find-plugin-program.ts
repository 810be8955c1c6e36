import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { type PluginManifest, toEntryName } from "@hub/contract/plugin-manifest.ts";
import { refusePlugin } from "./refuse-plugin.ts";

/** Finds the program that a manifest names: a regular file in the plugin's folder. */
export async function findProgram(manifest: PluginManifest, dir: string): Promise<string> {
  // The manifest's schema allows only a file name, not a path.
  const name = toEntryName(manifest);
  const path = join(dir, name);
  const stats = await lstat(path).catch(() => null);
  if (stats?.isFile()) return path;
  throw refusePlugin({
    plugin: manifest.module.Meta.Key,
    check: "program",
    expected: `the file ${name} beside plugin.json`,
    found: stats === null ? "no file with that name" : "a link or folder with that name",
    remedy: "Install a complete archive of the plugin.",
  });
}
