import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { copyFileSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findDroppedFrames } from "./find-dropped-frames.ts";

const folder = await mkdtemp(join(tmpdir(), "hub-wal-"));
afterAll(() => rm(folder, { recursive: true }));
const frameBytes = 24 + 4096;

/** A database as a killed process leaves it: five transactions of one page are in its log alone. */
function makeLog(name: string): string {
  const path = join(folder, `${name}-used`);
  const database = new Database(path, { create: true });
  database.run("pragma journal_mode = wal");
  database.run("create table words (word text)");
  database.run("pragma wal_checkpoint(truncate)");
  for (let id = 0; id < 5; id += 1) database.run("insert into words values (?)", [`word ${id}`]);
  const left = join(folder, name);
  for (const end of ["", "-wal"]) copyFileSync(`${path}${end}`, `${left}${end}`);
  database.close();
  return left;
}

function damage(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at] = (bytes[at] ?? 0) ^ 0xff;
  writeFileSync(path, bytes);
}

function countRows(path: string): number {
  using database = new Database(path);
  return database.query<{ n: number }, []>("select count(*) as n from words").get()?.n ?? 0;
}

test("A whole log has no dropped frames", () => {
  const path = makeLog("whole");
  expect(findDroppedFrames(path)).toBeNull();
  expect(countRows(path)).toBe(5);
});

test("Transactions after a damaged frame are counted, as many as SQLite leaves out", () => {
  for (const frame of [0, 2]) {
    const path = makeLog(`damaged-${frame}`);
    damage(`${path}-wal`, 32 + frame * frameBytes + 24 + 4_000);
    const found = findDroppedFrames(path);
    expect(found).toEqual({ frames: 5 - frame, commits: 5 - frame });
    expect(countRows(path)).toBe(frame);
  }
});

test("A newest transaction that a crash left unfinished is no damage", () => {
  const path = makeLog("torn");
  truncateSync(`${path}-wal`, statSync(`${path}-wal`).size - 1_000);
  expect(findDroppedFrames(path)).toBeNull();
  const other = makeLog("unwritten");
  damage(`${other}-wal`, 32 + 4 * frameBytes + 24 + 4_000);
  expect(findDroppedFrames(other)).toBeNull();
});

test("A database without a log, and one that does not exist, have none", () => {
  const path = makeLog("without");
  writeFileSync(`${path}-wal`, "");
  expect(findDroppedFrames(path)).toBeNull();
  expect(findDroppedFrames(join(folder, "never-was-here"))).toBeNull();
});
