import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findRunBytesCut, readRunBytes } from "../store/runs/run-bytes.ts";
import { countRunHours } from "../store/runs/run-hours.ts";
import { listRuns } from "../store/runs/runs-table.ts";
import type { Store } from "../store/store.ts";
import { newFinishedRun, newRun } from "../store/test-data.ts";
import { listenTo } from "../store/testing/listen-to.ts";
import { openTestStore } from "../store/testing/open-test-store.ts";
import { runSql } from "../store/testing/run-sql.ts";
import { createBytesLimitJob } from "./limit-run-bytes.ts";
import { createPurgeJob } from "./purge-runs.ts";

const hourMs = 3_600_000;
const nowMs = 100 * 24 * hourMs;
const kibibyte = 1024;

let dataDir: string;
let store: Store;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "hub-bytes-"));
  store = await openTestStore({ dataDir });
});
afterEach(async () => {
  await store.close();
  await rm(dataDir, { recursive: true });
});

/** A client's call, without its texts. */
const asOfClient = {
  userId: "ada",
  connectorId: crypto.randomUUID(),
  rowLabel: "Our logs",
  tokenId: crypto.randomUUID(),
  ipAddress: "192.0.2.7",
  userAgent: "claude-code/2.0",
};

/** Adds runs that ended this many hours ago, with responses of this size, counted as in the hub. */
async function addRuns(
  count: number,
  hoursAgo: number,
  bytes = 4 * kibibyte,
  userId = "ada",
): Promise<void> {
  const endedAt = nowMs - hoursAgo * hourMs;
  const response = JSON.stringify("x".repeat(bytes));
  const runs = Array.from({ length: count }, () =>
    newFinishedRun({
      ...asOfClient,
      id: Bun.randomUUIDv7("hex", endedAt),
      userId,
      startedAt: endedAt,
      endedAt,
      response,
    }),
  );
  await Promise.all(runs.map((run) => store.runs.insertFinished(run)));
}

const countAll = (endedBefore = nowMs + hourMs) => countRunHours(store.db, { endedBefore });

/** The remaining runs, counted by the hours since their end. */
async function listHours(): Promise<Record<string, number>> {
  const hours: Record<string, number> = {};
  for (const { endedAt } of await listRuns(store.db, { limit: 10_000 })) {
    const hour = endedAt === null ? "running" : String((nowMs - endedAt) / hourMs);
    hours[hour] = (hours[hour] ?? 0) + 1;
  }
  return hours;
}

function limit(bytesMax: number, isClosing = () => false): Promise<void> {
  const { db, readUsedBytes } = store;
  const now = () => nowMs;
  const readBytesMax = async () => bytesMax;
  return createBytesLimitJob({ db, readUsedBytes, now, readBytesMax }).run(isClosing);
}

test("By default there is no limit", async () => {
  await addRuns(50, 90);
  await countAll();
  await limit(0);
  expect(await listHours()).toEqual({ "90": 50 });
});

test("The oldest runs are deleted until the rest is within the limit", async () => {
  for (const hoursAgo of [90, 80, 70, 60]) await addRuns(150, hoursAgo);
  await countAll();
  const bytes = await readRunBytes(store);
  // Half of the runs, and the empty tables of the database.
  await limit(bytes * 0.65);
  expect(await listHours()).toEqual({ "70": 150, "60": 150 });
  expect(await readRunBytes(store)).toBeLessThanOrEqual(bytes * 0.65);
  // Data that is small enough remains.
  await limit(bytes * 0.65);
  expect(await listHours()).toEqual({ "70": 150, "60": 150 });
});

/** How many runs each user has. */
async function listOwners(): Promise<Record<string, number>> {
  const owners: Record<string, number> = {};
  for (const { userId } of await listRuns(store.db, { limit: 10_000 })) {
    owners[userId] = (owners[userId] ?? 0) + 1;
  }
  return owners;
}

test("Those who hold most lose their oldest runs, and the others keep theirs", async () => {
  await addRuns(50, 90, undefined, "honest");
  for (const hoursAgo of [80, 70, 60]) await addRuns(200, hoursAgo, undefined, "flooder");
  await addRuns(300, 50, undefined, "busy");
  await countAll();
  const bytes = await readRunBytes(store);
  await limit(bytes * 0.6);
  const { honest, flooder = 0, busy = 0 } = await listOwners();
  expect(honest).toBe(50);
  // 60 % of 950 runs, without the 50 of the first, for two.
  expect(flooder).toBeWithin(150, 301);
  expect(busy).toBeWithin(150, 301);
  const hours = await listHours();
  expect(hours["80"]).toBeUndefined();
  expect(await readRunBytes(store)).toBeLessThan(bytes * 0.65);
});

test("A flood of the last 24 hours takes the space of its user only", async () => {
  await addRuns(50, 90, undefined, "honest");
  await addRuns(50, 80, undefined, "flooder");
  await addRuns(500, 2, undefined, "flooder");
  await countAll();
  await limit((await readRunBytes(store)) * 0.3);
  expect(await listOwners()).toEqual({ honest: 50, flooder: 500 });
});

test("Runs that were counted before their users are deleted oldest first", async () => {
  await addRuns(100, 90, undefined, "honest");
  await addRuns(100, 80, undefined, "other");
  await countAll(nowMs - 75 * hourMs);
  await runSql(store.db, "delete from user_run_bytes");
  await addRuns(100, 60, undefined, "flooder");
  await countAll();
  await limit((await readRunBytes(store)) * 0.7);
  expect(await listOwners()).toEqual({ other: 100, flooder: 100 });
});

test("Bytes that a server of the version before counts without users cost no other user their runs", async () => {
  await addRuns(50, 90, undefined, "honest");
  await addRuns(300, 80, undefined, "flooder");
  await countAll();
  const hour = Math.floor((nowMs - 30 * hourMs) / hourMs);
  await runSql(store.db, "insert into run_bytes (hour, bytes) values (?, ?)", hour, 2_000_000);
  await limit((await readRunBytes(store)) * 0.8);
  expect(await listOwners()).toEqual({ honest: 50, flooder: 300 });
});

test("Runs of the last 24 hours and running ones are never deleted for their size", async () => {
  await addRuns(100, 30);
  await addRuns(100, 24);
  await addRuns(100, 2);
  await store.runs.begin(newRun({ startedAt: 0 }));
  await countAll();
  await limit(1);
  expect(await listHours()).toEqual({ "24": 100, "2": 100, running: 1 });
});

test("After a restart the job continues where it stopped", async () => {
  await addRuns(350, 90);
  await addRuns(10, 1);
  await countAll();
  let batches = 0;
  await limit(1, () => ++batches > 2);
  expect(await listHours()).toEqual({ "90": 150, "1": 10 });
  await limit(1);
  expect(await listHours()).toEqual({ "1": 10 });
});

test("The measure equals the size on disk, for runs of any size", async () => {
  for (const [at, bytes] of [10, 2 * kibibyte, 3 * kibibyte, 14 * kibibyte].entries()) {
    // The empty tables take as much as some thousand of the smallest runs.
    await addRuns(at === 0 ? 2000 : 1000, 9 - at, bytes);
    await countAll(nowMs - (8 - at) * hourMs);
    const ratio = (await readRunBytes(store)) / (await store.readUsedBytes());
    expect(ratio, `with runs of ${bytes} bytes`).toBeWithin(0.75, 1.25);
  }
});

test("Runs that were purged for their age are not measured", async () => {
  await addRuns(100, 50);
  await addRuns(100, 2);
  await countAll();
  const bytes = await readRunBytes(store);
  const job = { db: store.db, now: () => nowMs };
  await createPurgeJob({ ...job, readRetentionDays: async () => 1 }).run();
  expect(await readRunBytes(store)).toBeLessThan(bytes * 0.7);
});

test("The measure reads one row per hour and no runs", async () => {
  const { db, read } = listenTo(store.db);
  const deps = { db, readUsedBytes: store.readUsedBytes };
  await findRunBytesCut(deps, { bytesMax: 1, endedBefore: nowMs });
  expect(read).toHaveLength(1);
  expect(read.join()).toContain("run_bytes");
  expect(read.join()).not.toContain("connector_runs");
});
