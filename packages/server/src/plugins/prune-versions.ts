import { lstat, readdir, readlink, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import type { PluginFolders } from "./plugin-folders.ts";

/**
 * Other processes on the folder look every two seconds, may start the old program until then, and let
 * its calls finish, which have three minutes. A program of version 1 finds its data through the folder
 * of its own version, so that has to last as long.
 */
const supersededMsMin = 10 * 60_000;

/** No download takes longer. */
const stagingMsMin = 60 * 60_000;

/** Removes versions that gave way to a later one some time ago, and what broken installs left. */
export async function pruneVersions(folders: PluginFolders, now: number): Promise<void> {
  for (const key of await list(join(folders.root, ".versions"))) {
    const current = await readlink(folders.link(key)).catch(() => null);
    const ids = (await list(folders.versionsOf(key))).sort();
    for (const [at, id] of ids.entries()) {
      if (current !== null && basename(current) === id) continue;
      const supersededAt = toTime(ids[at + 1] ?? id);
      // A program that still runs cannot be removed on Windows; it goes another time.
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

/** A UUID of version 7 begins with the time at which it was made. */
function toTime(id: string): number {
  return Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16) || 0;
}
