import { lstat, readdir, readlink, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import type { PluginFolders } from "./plugin-folders.ts";

/**
 * Other processes scan the folder every two seconds, may start the old program until then, and let its
 * calls finish, which have three minutes. A version-1 program finds its data through its version's
 * folder, so the folder must exist that long.
 */
const supersededMsMin = 10 * 60_000;

/** Longer than any download. */
const stagingMsMin = 60 * 60_000;

/** Removes versions that were replaced some time ago, and the remains of interrupted installs. */
export async function pruneVersions(folders: PluginFolders, now: number): Promise<void> {
  for (const key of await list(join(folders.root, ".versions"))) {
    const current = await readlink(folders.link(key)).catch(() => null);
    const ids = (await list(folders.versionsOf(key))).sort();
    for (const [at, id] of ids.entries()) {
      if (current !== null && basename(current) === id) continue;
      const supersededAt = toTime(ids[at + 1] ?? id);
      // Windows cannot delete a running program; a later run deletes it.
      if (now - supersededAt > supersededMsMin) await remove(join(folders.versionsOf(key), id));
    }
  }
  for (const id of await list(folders.staging)) {
    const path = join(folders.staging, id);
    const stats = await lstat(path).catch(() => null);
    if (stats !== null && now - stats.mtimeMs > stagingMsMin) await remove(path);
  }
}

function list(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}

function remove(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true }).catch(() => {});
}

/** A version-7 UUID begins with its creation time. */
function toTime(id: string): number {
  return Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16) || 0;
}
