import { expect, test } from "bun:test";
import { newWorkflowRun, queueOf } from "../test-data.ts";
import { createRunWrites } from "../testing/run-writes.ts";
import type { TestStores } from "../testing/test-stores.ts";
import type { AcceptWrite } from "./workflow-run-records.ts";
import { findWorkflowRun, listDueRuns } from "./workflow-runs-table.ts";

/** Which runs start when they are accepted: queue policies, bounds, and deliveries that come again. */
export function describeAcceptedRuns(stores: () => TestStores): void {
  const { accept, commit, end, park, claim, stateOf, start } = createRunWrites(stores);

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
}
