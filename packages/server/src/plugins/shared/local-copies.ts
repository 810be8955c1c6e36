import type { Stats } from "node:fs";
import { lstat } from "node:fs/promises";
import { readInstallSource } from "../install/install-source.ts";
import { listPluginNames, type PluginFolders } from "../installed/plugin-folders.ts";

/** What the folder of this server has under a plugin's key. */
export type LocalCopy =
  | { kind: "none" }
  /** A folder that was copied there by hand. */
  | { kind: "manual" }
  /** A version that a hub installed. `build` is its id in the database; null if it is not from there. */
  | { kind: "version"; build: string | null };

export async function findLocalCopy(folders: PluginFolders, key: string): Promise<LocalCopy> {
  const link = await findEntry(folders, key);
  if (link === null) return { kind: "none" };
  if (!link.isSymbolicLink()) return { kind: "manual" };
  const dir = await folders.resolve(key);
  const source = dir === null ? null : await readInstallSource(dir);
  const build = source?.build ?? null;
  // A removal takes the link first, perhaps just now. A broken link stays, and an admin is told of it.
  if (build === null && (await findEntry(folders, key)) === null) return { kind: "none" };
  return { kind: "version", build };
}

async function findEntry(folders: PluginFolders, key: string): Promise<Stats | null> {
  return await lstat(folders.link(key)).catch(() => null);
}

/** Whether a copy without an install in the database was removed, or will be by `follow`. */
export function isRemovedCopy(copy: LocalCopy): boolean {
  return copy.kind === "none" || (copy.kind === "version" && copy.build !== null);
}

export async function listLocalCopies(folders: PluginFolders): Promise<Map<string, LocalCopy>> {
  const copies = new Map<string, LocalCopy>();
  for (const key of await listPluginNames(folders)) {
    copies.set(key, await findLocalCopy(folders, key));
  }
  return copies;
}
