/** Protects: a run is freed if its process has its lease without knowing of it, and no run that is just starting. */
import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newWorkflowRun, queueOf } from "../../../store/test-data.ts";
import { openTestStore } from "../../../store/testing/open-test-store.ts";
import { listLeasedRuns } from "../../../store/workflow-runs/run-leases.ts";
import { createOrphanedRuns } from "./orphaned-runs.ts";

test("After a write without an answer, an orphaned run is freed at the second look", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "hub-orphaned-"));
  const store = await openTestStore({ dataDir });
  try {
    const accept = async () => {
      const run = newWorkflowRun();
      const shared = { queue: queueOf(), deliveryId: null, claimBy: "one" };
      expect((await store.workflowRuns.accept({ run, ...shared })).kind).toBe("started");
      return run.id;
    };
    const [orphan, known] = [await accept(), await accept()];
    let nowMs = 0;
    const orphaned = createOrphanedRuns({
      db: store.db,
      instanceId: "one",
      now: () => nowMs,
      isKnown: (id) => id === known,
    });
    const listLeased = async () =>
      (await listLeasedRuns(store.db, "one")).map(({ id }) => id).sort();
    for (let look = 0; look < 3; look += 1) await orphaned.free();
    expect(await listLeased()).toEqual([orphan, known].sort());
    const lost = Promise.reject(new Error("The connection was lost."));
    await expect(orphaned.followWrite(lost)).rejects.toThrow("lost");
    await orphaned.free();
    expect(await listLeased()).toEqual([orphan, known].sort());
    await orphaned.free();
    expect(await listLeased()).toEqual([known]);
    // A minute after the failure, nothing is looked for.
    const later = await accept();
    nowMs = 60_000;
    for (let look = 0; look < 2; look += 1) await orphaned.free();
    expect(await listLeased()).toEqual([known, later].sort());
  } finally {
    await store.close();
    await rm(dataDir, { recursive: true });
  }
});
