import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listInstances } from "../store/instances.ts";
import { openStore, type Store } from "../store/open-store.ts";
import { findRun } from "../store/runs.ts";
import { newRun } from "../store/test-data.ts";
import { createHeartbeatJob, createRecoveryJob, openInstance } from "./keep-instance.ts";

let dataDir: string;
let store: Store;
const clock = { ms: 1_000_000 };

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "hub-jobs-"));
  store = await openStore({ dataDir });
});
beforeEach(async () => {
  for (const { id } of await listInstances(store.db)) {
    await store.db.deleteFrom("instances").where("id", "=", id).execute();
  }
});
afterAll(async () => {
  await store.close();
  await rm(dataDir, { recursive: true });
});

/** A process with a call under way. */
async function openProcess() {
  const deps = { db: store.db, now: () => clock.ms };
  const instance = await openInstance(deps, "serve");
  const run = newRun({ instanceId: instance.id });
  await store.runs.begin(run);
  const recovery = createRecoveryJob(deps, instance);
  return {
    id: instance.id,
    beat: () => createHeartbeatJob(deps, instance).run(),
    recover: () => recovery.run(),
    status: async () => (await findRun(store.db, run.id))?.status,
  };
}

const ids = async () => (await listInstances(store.db)).map(({ id }) => id);

describe("the recovery of what dead processes left", () => {
  test("cancels their runs and forgets them", async () => {
    const dead = await openProcess();
    clock.ms += 60_000;
    const live = await openProcess();
    await live.recover();
    expect([await dead.status(), await live.status()]).toEqual(["cancelled", "running"]);
    expect(await ids()).toEqual([live.id]);
  });

  test("leaves alone who beats", async () => {
    const other = await openProcess();
    clock.ms += 60_000;
    await other.beat();
    const live = await openProcess();
    await live.recover();
    expect(await other.status()).toBe("running");
  });

  test("after a pause of the whole machine, waits for the others to beat, and for itself", async () => {
    const other = await openProcess();
    const live = await openProcess();
    await live.recover();
    clock.ms += 3_600_000;
    await live.recover();
    expect([await other.status(), await live.status()]).toEqual(["running", "running"]);
    clock.ms += 30_000;
    await other.beat();
    await live.recover();
    expect([await other.status(), await live.status()]).toEqual(["running", "running"]);
  });

  test("a process that was taken for dead is back with its next beat", async () => {
    const paused = await openProcess();
    clock.ms += 60_000;
    const live = await openProcess();
    await live.recover();
    await paused.beat();
    expect(new Set(await ids())).toEqual(new Set([paused.id, live.id]));
  });
});
