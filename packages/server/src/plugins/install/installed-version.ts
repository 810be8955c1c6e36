import { lstat } from "node:fs/promises";
import type { PluginManifest } from "@hub/contract/plugin-manifest.ts";
import type { PluginFolders } from "../installed/plugin-folders.ts";
import { readManifest } from "../verify/read-manifest.ts";
import { type InstallSource, readInstallSource } from "./install-source.ts";

/** What an installation replaces. */
export type InstalledVersion = {
  /** Null if it cannot be read. */
  manifest: PluginManifest | null;
  source: InstallSource | null;
  /** Whether its folder was copied there by hand. */
  isManual: boolean;
  /** The id of the installation in the database; null if it is in the folder only. */
  installId: string | null;
};

export async function findVersionInFolder(
  folders: PluginFolders,
  key: string,
): Promise<InstalledVersion | null> {
  const dir = await folders.resolve(key);
  if (dir === null) return null;
  const stats = await lstat(folders.link(key));
  return {
    manifest: await readManifest(key, dir).catch(() => null),
    source: await readInstallSource(dir),
    isManual: !stats.isSymbolicLink(),
    installId: null,
  };
}
