import { describe, expect, test } from "bun:test";
import { newStep, newWorkflowRun, queueOf } from "../test-data.ts";
import type { TestStores } from "../testing/test-stores.ts";
import { releaseWorkflowRuns } from "./run-leases.ts";
import { listWorkflowHolders } from "./workflow-run-holders.ts";
import type { AcceptWrite, CommitWrite, Lease } from "./workflow-run-records.ts";
import { findWorkflowRun, listDueRuns } from "./workflow-runs-table.ts";
import {
  countSteps,
  listStepMarks,
  listSteps,
  readStepMarks,
  readSteps,
  stepsOfPage,
  sumStepBytes,
} from "./workflow-steps.ts";

/** Runs of workflows: acceptance, leases, steps, waiting, ends. */
export function describeWorkflowRuns(stores: () => TestStores): void {
  const accept = (given: Partial<AcceptWrite> = {}) => {
    const write = { run: newWorkflowRun(), queue: queueOf(), deliveryId: null, claimBy: "one" };
    return stores().store.workflowRuns.accept({ ...write, ...given });
  };
  const commit = (runId: string, lease: Lease, given: Partial<CommitWrite> = {}) =>
    stores().store.workflowRuns.commit({
      runId,
      workflowId: "wf",
      lease,
      at: 1_000,
      steps: [],
      answer: null,
      starts: [],
      transition: { kind: "go_on" },
      ...given,
    });
  const end = (given: object = {}): CommitWrite["transition"] => ({
    kind: "end",
    state: "succeeded",
    error: null,
    lastNode: null,
    waiterRunId: null,
    activeMs: 5,
    queue: queueOf(),
    claimBy: null,
    ...given,
  });
  const park = (dueAt: number | null, activeMs: number, given: object = {}) => ({
    kind: "park" as const,
    dueAt,
    waitingFor: "{}",
    activeMs,
    queue: queueOf(),
    claimBy: null,
    ...given,
  });
  const claim = (runId: string, given: object = {}) =>
    stores().store.workflowRuns.claim({
      runId,
      workflowId: "wf",
      instanceId: "two",
      at: 5_000,
      queue: queueOf(),
      ...given,
    });
  const stateOf = async (id: string) => (await findWorkflowRun(stores().store.db, id))?.state;
  async function start(given: Partial<AcceptWrite["run"]> = {}, more: Partial<AcceptWrite> = {}) {
    const run = newWorkflowRun(given);
    const accepted = await accept({ run, ...more });
    if (accepted.kind !== "started") throw new Error(`The run is ${accepted.kind}`);
    return { id: run.id, lease: accepted.lease };
  }

  test("An accepted run is stored as running under the lease of its process", async () => {
    const { id, lease } = await start({ raw: new Uint8Array([1, 0, 255]) });
    expect(lease).toEqual({ instanceId: "one", number: 1 });
    expect(await stateOf(id)).toBe("running");
    expect(await claim(id)).toBeNull();
  });

  test("A run beyond the limit waits, and starts in the commit that ends another one", async () => {
    const queue = queueOf({ runsAtOnce: 1 });
    const first = await start({}, { queue });
    const second = newWorkflowRun();
    expect(await accept({ run: second, queue })).toEqual({ kind: "queued" });
    expect(await listDueRuns(stores().store.db, 9_000, 10)).toEqual([]);
    const ended = await commit(first.id, first.lease, {
      transition: end({ queue, claimBy: "one" }),
    });
    if (ended.lost) throw new Error("The lease was lost");
    expect(ended.next).toMatchObject({ id: second.id, lease: { instanceId: "one", number: 1 } });
    expect(await stateOf(second.id)).toBe("running");
  });

  test("A waiting run keeps its slot among the runs at the same time", async () => {
    const queue = queueOf({ runsAtOnce: 2 });
    const first = await start({}, { queue });
    const transition = park(null, 1, { queue, claimBy: "one" });
    expect(await commit(first.id, first.lease, { transition })).toMatchObject({ next: null });
    const second = await start({}, { queue });
    const third = newWorkflowRun();
    expect(await accept({ run: third, queue })).toEqual({ kind: "queued" });
    expect(await commit(second.id, second.lease, { transition })).toMatchObject({ next: null });
    expect(await stateOf(third.id)).toBe("queued");
  });

  test("With frees_place, a waiting run frees its slot for the next one of the queue", async () => {
    const queue = queueOf({ policy: "queue", freesPlace: true });
    const first = await start({}, { queue });
    const second = newWorkflowRun();
    expect(await accept({ run: second, queue })).toEqual({ kind: "queued" });
    const transition = park(null, 1, { queue, claimBy: "one" });
    const waiting = await commit(first.id, first.lease, { transition });
    expect(waiting).toMatchObject({ next: { id: second.id } });
  });

  test("With frees_place, a run beyond the limit starts in the commit that parks another one", async () => {
    const queue = queueOf({ runsAtOnce: 1, freesPlace: true });
    const first = await start({}, { queue });
    const second = newWorkflowRun();
    await accept({ run: second, queue });
    const transition = park(null, 1, { queue, claimBy: "one" });
    const waiting = await commit(first.id, first.lease, { transition });
    if (waiting.lost) throw new Error("The lease was lost");
    expect(waiting.next).toMatchObject({ id: second.id, lease: { instanceId: "one", number: 1 } });
  });

  test("Without capacity in the process that ends a run, the next one is due for any process", async () => {
    const queue = queueOf({ runsAtOnce: 1 });
    const first = await start({}, { queue });
    const second = newWorkflowRun();
    await accept({ run: second, queue });
    await commit(first.id, first.lease, { transition: end({ queue }) });
    expect(await listDueRuns(stores().store.db, 9_000, 10)).toMatchObject([{ id: second.id }]);
    expect((await claim(second.id))?.id).toBe(second.id);
    expect(await claim(second.id)).toBeNull();
  });

  test("Runs of a queue start in order, and a waiting run keeps its slot", async () => {
    const queue = queueOf({ policy: "queue" });
    const first = await start({}, { queue });
    const second = newWorkflowRun();
    await accept({ run: second, queue });
    const transition = park(null, 1, { queue, claimBy: "one" });
    expect(await commit(first.id, first.lease, { transition })).toMatchObject({ next: null });
    expect(await stateOf(first.id)).toBe("waiting");
    expect(await stateOf(second.id)).toBe("queued");
    expect(await accept({ queue })).toEqual({ kind: "queued" });
  });

  test("With the policy drop, a run is refused while another one runs, and is recorded without its event", async () => {
    const queue = queueOf({ policy: "drop" });
    await start({}, { queue });
    const refused = newWorkflowRun({ event: '{"large":true}' });
    const { id: runId } = refused;
    expect(await accept({ run: refused, queue })).toEqual({
      kind: "dropped",
      reason: "busy",
      runId,
    });
    expect(await stateOf(runId)).toBe("dropped");
  });

  test("The runs that one starter is refused at one trigger share a record for a minute", async () => {
    const queue = queueOf({ policy: "drop" });
    await start({}, { queue });
    const from = Date.now();
    const refuse = async (given: Partial<AcceptWrite["run"]> = {}, afterMs = 0) => {
      const createdAt = from + afterMs;
      const run = newWorkflowRun({ id: Bun.randomUUIDv7("hex", createdAt), createdAt, ...given });
      const accepted = await accept({ run, queue });
      if (accepted.kind !== "dropped") throw new Error(`The run is ${accepted.kind}`);
      return accepted.runId;
    };
    const countOf = async (id: string) =>
      (await findWorkflowRun(stores().store.db, id))?.droppedRuns ?? 1;
    const first = await refuse();
    const others = [await refuse({ triggerId: "other" }), await refuse({ startedBy: "someone" })];
    for (const afterMs of [1, 30_000, 59_000]) expect(await refuse({}, afterMs)).toBe(first);
    const later = await refuse({}, 61_000);
    expect(await refuse({}, 62_000)).toBe(later);
    expect(new Set([first, later, ...others]).size).toBe(4);
    expect(await Promise.all([first, later, ...others].map(countOf))).toEqual([4, 2, 1, 1]);
  });

  test("A delivery that was refused and only counted starts a run when it is delivered again and there is capacity", async () => {
    const queue = queueOf({ policy: "drop" });
    const { id, lease } = await start({}, { queue });
    const deliveries = ["d-1", "d-2"].map((deliveryId) => ({
      deliveryId,
      signedRequest: { id: `s-${deliveryId}`, validUntil: Date.now() + 60_000 },
    }));
    for (const delivery of deliveries) {
      expect((await accept({ ...delivery, queue })).kind).toBe("dropped");
      expect((await accept({ ...delivery, queue })).kind).toBe("dropped");
    }
    await commit(id, lease, { transition: end({ queue }) });
    for (const delivery of deliveries) {
      const run = newWorkflowRun();
      expect((await accept({ run, ...delivery })).kind).toBe("started");
      expect(await accept(delivery)).toEqual({ kind: "repeated", runId: run.id });
    }
  });

  test("The bytes of steps are summed by run, and those of the newest runs by workflow", async () => {
    const { db } = stores().store;
    const step = newStep({ input: '"éé"', output: '"1234"' });
    for (const workflowId of ["small", "large", "large"]) {
      const { id, lease } = await start({ workflowId, event: "{}" });
      await commit(id, lease, { workflowId, steps: [step] });
      expect(await sumStepBytes(db, id)).toBe(12);
    }
    expect(await sumStepBytes(db, "absent")).toBe(0);
    const holders = await listWorkflowHolders(db, { runs: 10, limit: 5 });
    expect(holders).toEqual([
      { workflowId: "large", name: null, bytes: 28 },
      { workflowId: "small", name: null, bytes: 14 },
    ]);
    expect(await listWorkflowHolders(db, { runs: 1, limit: 5 })).toEqual([
      { workflowId: "large", name: null, bytes: 14 },
    ]);
  });

  test("A tick that was refused and only counted is known, and starts nothing later", async () => {
    const queue = queueOf({ policy: "drop" });
    const { id, lease } = await start({}, { queue });
    const newTick = () => newWorkflowRun({ triggerType: "cron" });
    const first = newTick();
    await accept({ run: first, deliveryId: "t-1", queue });
    await accept({ run: newTick(), deliveryId: "t-2", queue });
    await commit(id, lease, { transition: end({ queue }) });
    for (const deliveryId of ["t-1", "t-2"]) {
      expect(await accept({ run: newTick(), deliveryId })).toEqual({
        kind: "repeated",
        runId: first.id,
      });
    }
  });

  test("A full queue refuses by number and by bytes", async () => {
    const queue = queueOf({ runsAtOnce: 1, waitingMax: 2, waitingBytesMax: 10 });
    await start({}, { queue });
    expect(await accept({ run: newWorkflowRun({ event: "12345678" }), queue })).toEqual({
      kind: "queued",
    });
    const full = { kind: "dropped" as const, reason: "queue_full" as const };
    expect(await accept({ run: newWorkflowRun({ event: "123" }), queue })).toMatchObject(full);
    expect(await accept({ run: newWorkflowRun({ event: "1" }), queue })).toEqual({
      kind: "queued",
    });
    expect(await accept({ run: newWorkflowRun({ event: "" }), queue })).toMatchObject(full);
  });

  test("Only one of a hundred acceptances at once starts a run that must be alone", async () => {
    const queue = queueOf({ policy: "drop" });
    const another = await stores().openAnother();
    const all = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        (index % 2 ? another : stores().store).workflowRuns.accept({
          run: newWorkflowRun(),
          queue,
          deliveryId: null,
          claimBy: "one",
        }),
      ),
    );
    expect(all.filter(({ kind }) => kind === "started")).toHaveLength(1);
  });

  test("A delivery starts one run, also when it arrives in two processes at once", async () => {
    const another = await stores().openAnother();
    const send = (store: typeof another) =>
      store.workflowRuns.accept({
        run: newWorkflowRun(),
        queue: queueOf({ runsAtOnce: 100 }),
        deliveryId: "d-1",
        claimBy: "one",
      });
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, index) => send(index % 2 ? another : stores().store)),
    );
    expect(all.filter(({ kind }) => kind === "started")).toHaveLength(1);
    expect(all.filter(({ kind }) => kind === "repeated")).toHaveLength(19);
  });

  test("A delivery whose run failed starts again", async () => {
    const first = await start({}, { deliveryId: "d-1" });
    await commit(first.id, first.lease, { transition: end({ state: "failed" }) });
    const again = newWorkflowRun();
    expect((await accept({ run: again, deliveryId: "d-1" })).kind).toBe("started");
    expect(await accept({ deliveryId: "d-1" })).toEqual({ kind: "repeated", runId: again.id });
  });

  test("A signed request starts one run, whatever its delivery is and whatever became of the run", async () => {
    const signedRequest = { id: "s", validUntil: Date.now() + 60_000 };
    const first = await start({}, { deliveryId: "d-1", signedRequest });
    await commit(first.id, first.lease, { transition: end({ state: "failed" }) });
    for (const deliveryId of ["d-2", "d-1", "d-2", null]) {
      const again = await accept({ deliveryId, signedRequest });
      expect(again).toEqual({ kind: "repeated", runId: first.id });
    }
    const other = { ...signedRequest, id: "t" };
    expect((await accept({ deliveryId: "d-3", signedRequest: other })).kind).toBe("started");
  });

  test("Steps are stored once, in their order, and written again by a later state", async () => {
    const { id, lease } = await start();
    await commit(id, lease, { steps: [newStep({ nodeId: "a", position: 0, state: "running" })] });
    await commit(id, lease, {
      steps: [
        newStep({ nodeId: "a", position: 0, output: '{"a":1}' }),
        newStep({ nodeId: "b", position: 1, item: 3 }),
      ],
    });
    const steps = await listSteps(stores().store.db, id);
    expect(steps).toEqual([
      newStep({ nodeId: "a", position: 0, output: '{"a":1}' }),
      newStep({ nodeId: "b", position: 1, item: 3 }),
    ]);
  });

  test("Many steps are read in pages of bounded number and size, each once and in their order", async () => {
    const { id, lease } = await start();
    const small = Array.from({ length: 2 * stepsOfPage + 10 }, (_, item) =>
      newStep({ nodeId: "small", item, position: item < 20 ? 7 : item }),
    );
    const value = `"${"x".repeat(200_000)}"`;
    const large = Array.from({ length: 6 }, (_, item) =>
      newStep({ nodeId: "large", item, position: 10_000 + item, output: value }),
    );
    await commit(id, lease, { steps: [...large, ...small].toReversed() });
    const { db } = stores().store;
    const pages = await Array.fromAsync(readSteps(db, id));
    const sizes = pages.map(({ length }) => length);
    expect([sizes[0], sizes[1], Math.max(...sizes.slice(2))]).toEqual([
      stepsOfPage,
      stepsOfPage,
      12,
    ]);
    expect(sizes.slice(3)).toEqual([2, 2]);
    const read = pages.flat();
    expect(new Set(read.map(({ nodeId, item }) => `${nodeId} ${item}`)).size).toBe(read.length);
    const positions = read.map(({ position }) => position);
    expect(positions).toEqual(positions.toSorted((a, b) => a - b));
    expect(read).toHaveLength(small.length + large.length);
    expect(await listStepMarks(db, id)).toHaveLength(read.length);
    expect((await Array.fromAsync(readSteps(db, id, "large"))).flat()).toEqual(large);
    expect(await countSteps(db, id)).toBe(read.length);
    expect(await countSteps(db, id, "large")).toBe(6);
  });

  test("A step that goes on while the steps are read is there once", async () => {
    const { id, lease } = await start();
    const others = Array.from({ length: stepsOfPage + 10 }, (_, item) =>
      newStep({ nodeId: "b", item, position: item + 1 }),
    );
    const steps = [
      newStep({ nodeId: "a", position: 0, state: "running", endedAt: null }),
      ...others,
    ];
    await commit(id, lease, { steps });
    const { db } = stores().store;
    const nodes: string[] = [];
    for await (const page of readStepMarks(db, id)) {
      if (nodes.length === 0) {
        await commit(id, lease, { steps: [newStep({ nodeId: "a", position: 9_000 })] });
      }
      nodes.push(...page.map(({ nodeId }) => nodeId));
    }
    expect(nodes.filter((node) => node === "a")).toEqual(["a"]);
    expect(nodes).toHaveLength(steps.length);
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
}
