import { expect, test } from "bun:test";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { pack } from "tar-stream";
import { rotationMember } from "./backup-manifest.ts";
import { rotateBackups, toBackupName } from "./rotate-backups.ts";

const dayMs = 24 * 60 * 60 * 1000;
const now = Date.parse("2026-11-28T03:15:00.000Z");

async function toArchive(hubId: string): Promise<Buffer> {
  const archive = pack();
  archive.entry({ name: rotationMember }, JSON.stringify({ hub_id: hubId }));
  archive.finalize();
  return gzipSync(await buffer(archive));
}

/** The names that stay of backups at these times, after the one of `now`. */
async function listStaying(times: readonly number[], keep: number): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "hub-rotate-"));
  try {
    const content = await toArchive("hub-1");
    for (const at of [...times, now]) await writeFile(join(folder, toBackupName(at)), content);
    await rotateBackups({ folder, keep, made: toBackupName(now), hubId: "hub-1", now });
    return (await readdir(folder)).sort();
  } finally {
    await rm(folder, { recursive: true });
  }
}

test("Backups of a clock that was ahead go before those of the right clock", async () => {
  const [ahead, yesterday] = [now + 9_000 * dayMs, now - dayMs];
  expect(await listStaying([ahead, ahead + dayMs, yesterday], 2)).toEqual(
    [yesterday, now].map(toBackupName),
  );
  expect(await listStaying([ahead, ahead + dayMs, yesterday], 1)).toEqual([toBackupName(now)]);
});

test("If the clock went back, the new backup and the newest of the others stay", async () => {
  const later = [1, 2, 3].map((days) => now + days * dayMs);
  expect(await listStaying(later, 3)).toEqual([now, ...later.slice(1)].map(toBackupName));
});

test("A backup that another machine made moments later stays", async () => {
  expect(await listStaying([now + 1, now - dayMs], 1)).toEqual([now, now + 1].map(toBackupName));
});
