import { lstat, open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { rotationMember } from "./backup-manifest.ts";

/** Names that rotation gives: sorted by name, they are sorted by time. */
const namePattern = /^hub-\d{4}-\d\d-\d\dT\d{6}\.\d{3}Z\.tar\.gz$/;
/** What a killed backup of such a name leaves. */
const leftoverPattern =
  /^hub-\d{4}-\d\d-\d\dT\d{6}\.\d{3}Z\.tar\.gz\.[0-9a-f]{8}\.(?:database\.)?tmp(?:-journal)?$/;

/** A running backup of a large database has such files too. */
const leftoverAgeMsMin = 24 * 60 * 60 * 1000;

/** A name that is so far ahead was given by a wrong clock. Clocks of two machines differ by less. */
const aheadMsMax = 60 * 60 * 1000;

/** Enough for the compressed first member of an archive, which has some hundred bytes. */
const headBytes = 64 * 1024;

/** The file of a backup made at this time (milliseconds, UTC), such as `hub-2026-11-28T031500.000Z.tar.gz`. */
export function toBackupName(at: number): string {
  return `hub-${new Date(at).toISOString().replaceAll(/:/g, "")}.tar.gz`;
}

export type Rotation = {
  folder: string;
  /** How many backups of the hub stay: those with the newest names, and names in the future count as the oldest. */
  keep: number;
  /** The name of the new one, which stays in any case: a clock can go back. */
  made: string;
  hubId: string;
  now: number;
};

/**
 * Removes the older backups of a hub in a folder: those that rotation has named and whose first member says that it made
 * them for this hub. Returns their names, the newest first, and the files that could not be removed, each with the reason.
 */
export async function rotateBackups({
  folder,
  keep,
  made,
  hubId,
  now,
}: Rotation): Promise<{ removed: string[]; failures: string[] }> {
  const names = await readdir(folder);
  const found: string[] = [];
  for (const name of names.filter((one) => namePattern.test(one)).sort()) {
    if (name === made || (await readHubIdOf(join(folder, name))) === hubId) found.push(name);
  }
  const newestFirst = found.toReversed();
  const firstAhead = toBackupName(now + aheadMsMax);
  const ranked = [
    ...newestFirst.filter((name) => name <= firstAhead),
    ...newestFirst.filter((name) => name > firstAhead),
  ];
  const stays = new Set([made, ...ranked.slice(0, keep)]);
  const old = ranked.filter((name) => !stays.has(name));
  const [removed, failures]: [string[], string[]] = [[], []];
  for (const name of [...old, ...(await listLeftovers(folder, names, now))]) {
    try {
      await rm(join(folder, name), { force: true });
      removed.push(name);
    } catch (thrown) {
      failures.push(`${name}: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    }
  }
  return { removed, failures };
}

async function listLeftovers(
  folder: string,
  names: readonly string[],
  now: number,
): Promise<string[]> {
  const old: string[] = [];
  for (const name of names.filter((one) => leftoverPattern.test(one))) {
    const stats = await lstat(join(folder, name)).catch(() => null);
    if (stats?.isFile() === true && now - stats.mtimeMs > leftoverAgeMsMin) old.push(name);
  }
  return old;
}

/** The hub for which rotation made a file. Null for any other file, also for a link to one. */
async function readHubIdOf(path: string): Promise<string | null> {
  const stats = await lstat(path).catch(() => null);
  if (stats?.isFile() !== true) return null;
  try {
    const file = await open(path, "r");
    const head = Buffer.alloc(headBytes);
    const { bytesRead } = await file.read(head, 0, headBytes, 0).finally(() => file.close());
    // The rest is missing, which is no fault here. At most some MiB come of so few bytes: zlib's ratio is at most 1032.
    const tar = gunzipSync(head.subarray(0, bytesRead), { finishFlush: 2 });
    return readRotation(tar);
  } catch {
    return null;
  }
}

/** The first member of a tar archive has its name in the first 100 bytes, and its size in octal digits. */
function readRotation(tar: Buffer): string | null {
  const name = tar.subarray(0, 100).toString("latin1").replace(/\0.*$/s, "");
  if (name !== rotationMember) return null;
  const size = Number.parseInt(tar.subarray(124, 136).toString("latin1"), 8);
  const value: unknown = JSON.parse(tar.subarray(512, 512 + size).toString("utf8"));
  if (typeof value !== "object" || value === null || !("hub_id" in value)) return null;
  return typeof value.hub_id === "string" ? value.hub_id : null;
}
