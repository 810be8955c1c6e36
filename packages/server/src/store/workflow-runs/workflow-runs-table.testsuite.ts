import { describe, expect, test } from "bun:test";
import { newStep, newUser, newWorkflow, newWorkflowRun, queueOf } from "../test-data.ts";
import { createRunWrites } from "../testing/run-writes.ts";
import type { TestStores } from "../testing/test-stores.ts";
import { insertUser } from "../users/users-table.ts";
import { insertWorkflow } from "../workflows/workflow-changes.ts";
import { listRecentRuns } from "./recent-runs.ts";
import { releaseWorkflowRuns } from "./run-leases.ts";
import { listDueRuns, listParentRuns } from "./workflow-runs-table.ts";
import { listSteps } from "./workflow-steps.ts";

/** Runs of workflows: leases, waits, ends and cancellations. */
export function describeWorkflowRuns(stores: () => TestStores): void {
  const { accept, commit, end, park, claim, stateOf, start } = createRunWrites(stores);

  test("An accepted run is stored as running under the lease of its process", async () => {
    const { id, lease } = await start({ raw: new Uint8Array([1, 0, 255]) });
    expect(lease).toEqual({ instanceId: "one", number: 1 });
    expect(await stateOf(id)).toBe("running");
    expect(await claim(id)).toBeNull();
  });

  test("A process that lost its lease writes nothing", async () => {
    const { id, lease } = await start();
    await releaseWorkflowRuns(stores().store.db, { dead: ["one"], at: 2_000 });
    const taken = await claim(id);
    expect(taken?.lease).toEqual({ instanceId: "two", number: 2 });
    const steps = [newStep({ nodeId: "a" })];
    expect(await commit(id, lease, { steps, transition: end() })).toEqual({ lost: true });
    expect(await listSteps(stores().store.db, id)).toEqual([]);
    expect(await stateOf(id)).toBe("running");
  });

  test("Only the first answer of a run is kept", async () => {
    const { id, lease } = await start();
    await commit(id, lease, { answer: '{"status":200}' });
    await commit(id, lease, { answer: '{"status":500}' });
    expect((await stores().store.reads.readRunEnd(id))?.answer).toBe('{"status":200}');
  });

  test("The end of a run has its last output, and nothing before it has ended", async () => {
    const { reads } = stores().store;
    const { id, lease } = await start();
    const none = { error: null, answer: null, output: null };
    await commit(id, lease, { steps: [newStep({ nodeId: "a", output: '"first"' })] });
    expect(await reads.readRunEnd(id)).toEqual({ ...none, state: "running" });
    const steps = [
      newStep({ nodeId: "b", item: 0, position: 1, output: '"item"' }),
      newStep({ nodeId: "b", position: 2, output: '"last"' }),
    ];
    await commit(id, lease, { steps, transition: end({ lastNode: "b" }) });
    expect(await reads.readRunEnd(id)).toEqual({ ...none, state: "succeeded", output: '"last"' });
    expect(await reads.readRunEnd("none")).toBeNull();
  });

  test("A waiting run is due at its time, and at once when the run that it waits for ends", async () => {
    const { db } = stores().store;
    const parent = await start();
    const child = newWorkflowRun({ waiterRunId: parent.id });
    const parked = await commit(parent.id, parent.lease, {
      starts: [{ run: child, queue: queueOf(), deliveryId: null, claimBy: "one" }],
      transition: park(null, 3),
    });
    if (parked.lost || parked.acceptances[0]?.kind !== "started") throw new Error("Not started");
    expect(await listDueRuns(db, 9_000, 10)).toEqual([]);
    const transition = end({ waiterRunId: parent.id });
    await commit(child.id, parked.acceptances[0].lease, { transition });
    expect(await listDueRuns(db, 9_000, 10)).toMatchObject([{ id: parent.id }]);
    expect(await claim(parent.id)).toMatchObject({ activeMs: 3, lease: { number: 2 } });
  });

  test("A run that was woken while it ran is due as soon as it waits", async () => {
    const parent = await start();
    const child = await start({ waiterRunId: parent.id });
    await commit(child.id, child.lease, { transition: end({ waiterRunId: parent.id }) });
    expect(await claim(parent.id)).toBeNull();
    await commit(parent.id, parent.lease, {
      transition: park(90_000, 3),
    });
    expect((await claim(parent.id))?.id).toBe(parent.id);
  });

  test("A scheduled run starts at its time and not before", async () => {
    const run = newWorkflowRun({ scheduledAt: 4_000 });
    expect(await accept({ run })).toEqual({ kind: "scheduled" });
    expect(await claim(run.id, { at: 3_999 })).toBeNull();
    expect((await claim(run.id, { at: 4_000 }))?.scheduledAt).toBeNull();
  });

  test("A scheduled run that is due waits for capacity, and the end of another run starts it", async () => {
    const queue = queueOf({ runsAtOnce: 1 });
    const run = newWorkflowRun({ scheduledAt: 4_000 });
    await accept({ run, queue });
    const first = await start({}, { queue });
    expect(await claim(run.id, { queue })).toBeNull();
    const ended = await commit(first.id, first.lease, {
      transition: end({ queue, claimBy: "one" }),
    });
    expect(ended).toMatchObject({ next: { id: run.id } });
  });

  test("Too many scheduled runs are refused", async () => {
    const queue = queueOf({ scheduledMax: 2 });
    const schedule = () => accept({ run: newWorkflowRun({ scheduledAt: 4_000 }), queue });
    await schedule();
    await schedule();
    expect(await schedule()).toMatchObject({ kind: "dropped", reason: "too_many_scheduled" });
  });

  test("Each commit announces the runs that it leaves to any process, with their times", async () => {
    const { workflowRuns } = stores().store;
    const announced: unknown[] = [];
    const unfollow = workflowRuns.followDue((runs) => announced.push(...runs));
    const queue = queueOf({ runsAtOnce: 1 });
    const first = await start({}, { queue });
    await accept({ run: newWorkflowRun(), queue });
    expect(announced).toEqual([]);
    const later = newWorkflowRun({ scheduledAt: 4_000 });
    await accept({ run: later, queue });
    const elsewhere = newWorkflowRun({ workflowId: "other" });
    await accept({ run: elsewhere, claimBy: null });
    const child = await start({ workflowId: "third", waiterRunId: first.id });
    await commit(child.id, child.lease, {
      workflowId: "third",
      transition: end({ waiterRunId: first.id }),
    });
    await commit(first.id, first.lease, { transition: park(9_000, 1, { queue: null }) });
    expect(announced).toEqual([
      { runId: later.id, dueAt: 4_000 },
      { runId: elsewhere.id, dueAt: elsewhere.createdAt },
      { runId: first.id, dueAt: 1_000 },
      { runId: first.id, dueAt: 1_000 },
    ]);
    unfollow();
    await accept({ claimBy: null, run: newWorkflowRun({ workflowId: "fourth" }) });
    expect(announced).toHaveLength(4);
  });

  describe("cancel", () => {
    const cancel = (runId: string) =>
      stores().store.workflowRuns.cancel({
        runId,
        workflowId: "wf",
        at: 7_000,
        reason: "Ann",
        queue: queueOf({ runsAtOnce: 1 }),
      });

    test("A waiting run is cancelled at once, with its waiting steps", async () => {
      const { id, lease } = await start();
      await commit(id, lease, {
        steps: [newStep({ nodeId: "w", state: "waiting", endedAt: null })],
        transition: park(9_000, 1),
      });
      expect(await cancel(id)).toBe("cancelled");
      expect(await stateOf(id)).toBe("cancelled");
      expect((await listSteps(stores().store.db, id))[0]?.state).toBe("cancelled");
      expect(await cancel(id)).toBe("ended");
    });

    test("A running run is asked to end, and its process ends it", async () => {
      const { id } = await start();
      expect(await cancel(id)).toBe("asked");
      expect(await stateOf(id)).toBe("running");
    });

    test("A run of another workflow is absent", async () => {
      const { id } = await start({ workflowId: "other" });
      expect(await cancel(id)).toBe("absent");
    });
  });

  test("The runs that led to a run are listed, the nearest first", async () => {
    const runs = [newWorkflowRun(), newWorkflowRun(), newWorkflowRun({ workflowId: "other" })];
    const [first, second, third] = runs.map(({ id }) => id);
    for (const [at, run] of runs.entries()) {
      const parentRunId = runs[at - 1]?.id ?? null;
      await stores().store.workflowRuns.accept({
        run: { ...run, parentRunId, bodyId: `b${at}` },
        queue: queueOf(),
        deliveryId: null,
        claimBy: null,
      });
    }
    expect(await listParentRuns(stores().store.db, third ?? "")).toEqual([
      { id: second ?? "", workflowId: "wf", bodyId: "b1" },
      { id: first ?? "", workflowId: "wf", bodyId: "b0" },
    ]);
    expect(await listParentRuns(stores().store.db, first ?? "")).toEqual([]);
  });

  test("The newest runs of several workflows are listed, newest first, a bounded number of each", async () => {
    const { db } = stores().store;
    const { id: ownerId } = await insertUser(db, newUser());
    const add = async (workflowId: string, count: number) => {
      await insertWorkflow(db, newWorkflow(ownerId, { id: workflowId }));
      const runs = Array.from({ length: count }, () => newWorkflowRun({ workflowId }));
      for (const run of runs) await accept({ run, claimBy: null });
      return runs.map(({ id }) => id).toReversed();
    };
    const [many, few] = [await add("many", 4), await add("few", 2)];
    await add("none", 0);
    const list = async (ids: string[], runsMax: number) =>
      (await listRecentRuns(db, ids, runsMax)).map(({ id }) => id);
    expect(await list(["many", "few", "none"], 3)).toEqual([...few, ...many.slice(0, 3)]);
    expect(await list(["many"], 4)).toEqual(many);
    expect(await list(["many"], 20)).toEqual(many);
    expect(await list([], 20)).toEqual([]);
  });
}
