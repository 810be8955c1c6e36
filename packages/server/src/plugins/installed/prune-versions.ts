import { lstat, readdir, readlink, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import type { PluginFolders } from "./plugin-folders.ts";

/**
 * Other processes scan the folder every two seconds, may start the old program until then, and let its
 * calls finish, which have three minutes. A version-1 program finds its data through its version's
 * folder, so the folder must exist that long.
 */
const supersededMsMin = 10 * 60_000;

/** Longer than any step of an install that writes no file. */
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
    if (now - (await findLastWrite(path)) > stagingMsMin) await remove(path);
  }
}

/**
 * When a file of the install was last written. A slow upload may take hours, and only changes the time of
 * its file. Infinity if the folder is gone.
 */
async function findLastWrite(staging: string): Promise<number> {
  const paths = [staging, ...(await list(staging)).map((name) => join(staging, name))];
  const all = await Promise.all(paths.map((path) => lstat(path).catch(() => null)));
  const times = all.flatMap((stats) => (stats === null ? [] : [stats.mtimeMs]));
  return times.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...times);
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
