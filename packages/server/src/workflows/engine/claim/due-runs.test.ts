import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createManualTimers } from "../../../lib/time/manual-timers.ts";
import type { Store } from "../../../store/store.ts";
import { newWorkflowRun, queueOf } from "../../../store/test-data.ts";
import { openTestStore } from "../../../store/testing/open-test-store.ts";
import { createDueRuns } from "./due-runs.ts";

let owned: AsyncDisposableStack;
let store: Store;

beforeEach(async () => {
  owned = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), "hub-due-"));
  owned.defer(() => rm(dataDir, { recursive: true }));
  store = await openTestStore({ dataDir });
  owned.defer(() => store.close());
});
afterEach(() => owned.disposeAsync());

function open({ capacity = 100, capacityMin = 1 } = {}) {
  const timers = createManualTimers(1_000_000);
  const claimed: string[] = [];
  const state: { capacity: number; full: string[] } = { capacity, full: [] };
  const dueRuns = createDueRuns({
    db: store.db,
    writer: store.workflowRuns,
    instanceId: "one",
    now: timers.now,
    timers,
    countCapacity: () => state.capacity,
    listFull: () => state.full,
    loadQueue: async () => queueOf({ runsAtOnce: 1_000 }),
    onClaimed({ id }) {
      state.capacity -= 1;
      claimed.push(id);
    },
    onFailure(err) {
      throw err;
    },
    capacityMin,
    aheadMs: 500,
  });
  owned.defer(() => dueRuns.stop());
  const add = async (dueAt: number, ownerId = "ann") => {
    const run = newWorkflowRun({ workflowId: `wf-${dueAt}`, scheduledAt: dueAt, ownerId });
    await store.workflowRuns.accept({ run, queue: queueOf(), deliveryId: null, claimBy: null });
    return run.id;
  };
  const waitForClaims = async (count: number) => {
    while (claimed.length < count) await Bun.sleep(1);
    return claimed;
  };
  return { timers, claimed, state, dueRuns, add, waitForClaims };
}

test("A run that is due before the next look starts at its time", async () => {
  const { timers, claimed, dueRuns, add, waitForClaims } = open();
  const ids = [await add(1_000_000), await add(1_000_200), await add(1_000_300)];
  await add(1_000_501);
  await dueRuns.look();
  expect(claimed).toEqual(ids.slice(0, 1));
  timers.advance(199);
  expect(timers.pending()).toBe(1);
  timers.advance(1);
  expect(await waitForClaims(2)).toEqual(ids.slice(0, 2));
  await dueRuns.look();
  timers.advance(100);
  expect(await waitForClaims(3)).toEqual(ids);
});

test("Runs that found no capacity start when other runs exit, without an external wake-up", async () => {
  const { state, claimed, dueRuns, add } = open({ capacity: 1, capacityMin: 2 });
  const ids = [await add(1_000), await add(2_000), await add(3_000)];
  await dueRuns.look();
  expect(claimed).toEqual(ids.slice(0, 1));
  state.capacity = 1;
  dueRuns.onCapacity();
  // One claim at a time would be dear when many runs wait.
  await dueRuns.stop();
  expect(claimed).toHaveLength(1);
  const other = open({ capacity: 0, capacityMin: 2 });
  await other.dueRuns.look();
  other.state.capacity = 2;
  other.dueRuns.onCapacity();
  other.timers.advance(0);
  expect(await other.waitForClaims(2)).toEqual(ids.slice(1));
});

test("The first of many wakes looks at once, and those after it share a look", async () => {
  const { timers, claimed, dueRuns, add, waitForClaims } = open();
  const ids = [await add(1_000)];
  dueRuns.wake();
  timers.advance(0);
  expect(await waitForClaims(1)).toEqual(ids);
  await dueRuns.look();
  ids.push(await add(2_000));
  for (let index = 0; index < 100; index += 1) dueRuns.wake();
  dueRuns.expect(timers.now());
  expect(timers.pending()).toBe(1);
  timers.advance(49);
  expect([timers.pending(), claimed.length]).toEqual([1, 1]);
  timers.advance(1);
  expect(await waitForClaims(2)).toEqual(ids);
});

test("A look that is asked for during another one follows it", async () => {
  const { dueRuns, add, claimed } = open();
  const first = dueRuns.look();
  const id = await add(1_000);
  await Promise.all([first, dueRuns.look()]);
  expect(claimed).toEqual([id]);
});

test("After a stop nothing more is claimed, also not at the time of a run", async () => {
  const { timers, dueRuns, add, claimed } = open();
  await add(1_000_200);
  await dueRuns.look();
  await dueRuns.stop();
  expect(timers.pending()).toBe(0);
  await add(1_000);
  await dueRuns.look();
  expect(claimed).toEqual([]);
});

test("Runs of an owner who has used the owner's share of the capacity wait until other runs of that owner exit", async () => {
  const { state, claimed, dueRuns, add, timers, waitForClaims } = open();
  state.full = ["ann"];
  const first = await add(1_000);
  const second = await add(2_000, "bob");
  await dueRuns.look();
  expect(claimed).toEqual([second]);
  state.full = [];
  dueRuns.onCapacity();
  timers.advance(1);
  expect(await waitForClaims(2)).toEqual([second, first]);
});
