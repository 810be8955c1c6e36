import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listRuns } from "../store/runs/runs-table.ts";
import type { Store } from "../store/store.ts";
import { newFinishedRun, newRun } from "../store/test-data.ts";
import { listenTo } from "../store/testing/listen-to.ts";
import { openTestStore } from "../store/testing/open-test-store.ts";
import { createPurgeJob, purgeInBatches } from "./purge-runs.ts";

const dayMs = 86_400_000;
const nowMs = 100 * dayMs;

let dataDir: string;
let store: Store;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "hub-purge-"));
  store = await openTestStore({ dataDir });
});
afterEach(async () => {
  await store.close();
  await rm(dataDir, { recursive: true });
});

/** Adds runs that ended this many days ago. */
async function addRuns(count: number, daysAgo: number): Promise<void> {
  const endedAt = nowMs - daysAgo * dayMs;
  const runs = Array.from({ length: count }, () => newFinishedRun({ startedAt: endedAt, endedAt }));
  await Promise.all(runs.map((run) => store.runs.insertFinished(run)));
}

const countRuns = async () => (await listRuns(store.db, { limit: 1000 })).length;

function purge(options: { retentionDays: number; isClosing?: () => boolean }): Promise<void> {
  const { isClosing = () => false, retentionDays } = options;
  return createPurgeJob({
    db: store.db,
    now: () => nowMs,
    readRetentionDays: async () => retentionDays,
  }).run(isClosing);
}

test("Runs past their retention are deleted in batches, all others stay", async () => {
  await addRuns(250, 8);
  await addRuns(3, 6);
  await store.runs.begin(newRun({ startedAt: 0 }));
  await purge({ retentionDays: 7 });
  expect(await countRuns()).toBe(4);
});

test("The retention is a setting", async () => {
  await addRuns(2, 8);
  await purge({ retentionDays: 9 });
  expect(await countRuns()).toBe(2);
  await purge({ retentionDays: 1 });
  expect(await countRuns()).toBe(0);
});

test("Each batch of a purge begins where the one before ended", async () => {
  await addRuns(150, 9);
  await addRuns(100, 8);
  const { db, read } = listenTo(store.db);
  await purgeInBatches({ db }, nowMs - 7 * dayMs, () => false);
  expect(await countRuns()).toBe(0);
  const searches = read.filter((statement) => statement.includes('"kind":"OrderByNode"'));
  const begins = searches.map((statement) => statement.includes('">="'));
  expect(begins).toEqual([false, true, true]);
});

test("A closing hub does not wait for the whole purge", async () => {
  await addRuns(250, 8);
  let batches = 0;
  await purge({ retentionDays: 7, isClosing: () => ++batches > 1 });
  expect(await countRuns()).toBe(150);
});
