import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { InstanceLocks } from "../store/data-folder/instance-locks.ts";
import type { Db } from "../store/database/database.ts";
import { beatInstance, insertInstance } from "../store/servers/instances.ts";
import type { Store } from "../store/store.ts";
import { newWorkflowRun, queueOf } from "../store/test-data.ts";
import { openTestStore } from "../store/testing/open-test-store.ts";
import { listDueRuns } from "../store/workflow-runs/workflow-runs-table.ts";
import { createReleaseJob } from "./release-workflow-runs.ts";

let dataDir: string;
let store: Store;
/** What the locks say of the process `other`. */
let isHeld: boolean | null;
let time: number;
/** Set while the database gives no answer. */
let failure: Error | null;
let look: () => Promise<void>;
let isFreed: () => Promise<boolean>;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "hub-jobs-"));
  store = await openTestStore({ dataDir });
  [time, failure, isHeld] = [1_000_000, null, true];
  const { db } = store;
  const record = { id: "other", kind: "serve" as const, pid: 1, hostname: "h", startedAt: time };
  await insertInstance(db, record);
  await accept("other");
  const clock = { now: () => time };
  const locks: InstanceLocks = {
    ...store.instanceLocks,
    retakeMsMax: 3_000,
    async isHeld() {
      if (failure !== null) throw failure;
      return isHeld;
    },
  };
  const job = createReleaseJob({ db, clock, locks }, { id: "own" });
  look = () => job.run();
  isFreed = async () => (await listDueRuns(db, Number.MAX_SAFE_INTEGER, 10)).length > 0;
});
afterEach(async () => {
  await store.close();
  await rm(dataDir, { recursive: true });
});

async function accept(claimBy: string): Promise<void> {
  const run = newWorkflowRun();
  await store.workflowRuns.accept({ run, queue: queueOf(), deliveryId: null, claimBy });
}

const beat = (db: Db = store.db) => beatInstance(db, "other", time);

/** Looks each second, for some time. */
async function lookFor(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    time += 1_000;
    await look();
  }
}

test("The runs of a process whose lock is free are freed at once", async () => {
  isHeld = false;
  await look();
  expect(await isFreed()).toBe(true);
});

test("The runs of a live process stay", async () => {
  for (let round = 0; round < 20; round += 1) {
    await beat();
    await lookFor(5);
  }
  expect(await isFreed()).toBe(false);
});

test("A process that lost its lock with its connection keeps its runs if it takes the lock again", async () => {
  await look();
  isHeld = null;
  await lookFor(3);
  isHeld = true;
  await lookFor(1);
  isHeld = null;
  await lookFor(3);
  expect(await isFreed()).toBe(false);
  await lookFor(1);
  expect(await isFreed()).toBe(true);
});

test("Without locks that are taken again, the heartbeat decides", async () => {
  const { db } = store;
  const locks = { ...store.instanceLocks, isHeld: async () => null };
  const job = createReleaseJob({ db, clock: { now: () => time }, locks }, { id: "own" });
  look = () => job.run();
  await lookFor(25);
  await beat();
  await lookFor(25);
  expect(await isFreed()).toBe(false);
  await lookFor(6);
  expect(await isFreed()).toBe(true);
});

test("The runs of a process that is silent for half a minute are freed although its lock is held", async () => {
  await lookFor(29);
  expect(await isFreed()).toBe(false);
  await lookFor(2);
  expect(await isFreed()).toBe(true);
});

test("While the database gives no answer, no process counts as silent or without its lock", async () => {
  await lookFor(2);
  failure = new Error("The database is away.");
  for (let second = 0; second < 60; second += 1) {
    time += 1_000;
    await expect(look()).rejects.toThrow("away");
  }
  [failure, isHeld] = [null, null];
  await lookFor(3);
  isHeld = true;
  await lookFor(20);
  expect(await isFreed()).toBe(false);
});

test("After a pause of its own, a process gives the others time for a heartbeat", async () => {
  await lookFor(2);
  time += 3_600_000;
  await look();
  await lookFor(20);
  expect(await isFreed()).toBe(false);
});

test("The runs of a process that is not registered are freed", async () => {
  await accept("removed");
  isHeld = null;
  await lookFor(4);
  expect(await isFreed()).toBe(true);
});

test("A process keeps its own runs", async () => {
  await beat();
  await accept("own");
  isHeld = true;
  await look();
  expect(await isFreed()).toBe(false);
});
