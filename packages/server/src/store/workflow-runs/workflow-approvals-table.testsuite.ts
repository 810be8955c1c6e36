import { expect, test } from "bun:test";
import { queueOf } from "../test-data.ts";
import { createApprovalWrites } from "../testing/approval-writes.ts";
import { newApproval } from "../testing/insert-approval.ts";
import { runSql } from "../testing/run-sql.ts";
import type { TestStores } from "../testing/test-stores.ts";
import { purgeWorkflowRuns } from "./purge-old-runs.ts";
import {
  countPendingApprovals,
  expireApproval,
  findApproval,
  putDecision,
} from "./workflow-approvals-table.ts";
import { findWorkflowRun, listDueRuns, wakeWorkflowRun } from "./workflow-runs-table.ts";

/** Approvals: stored with their step, decided once. */
export function describeWorkflowApprovals(stores: () => TestStores): void {
  const { db, shared, end, park, ask, commit, decide } = createApprovalWrites(stores);
  const stateOf = async (id: string) => (await findApproval(db(), id))?.state;

  test("An approval is stored with its step, once also if the commit is repeated", async () => {
    const people = [{ kind: "tag" as const, name: "ops" }];
    const { approval, run, lease } = await ask({ people }, { kind: "go_on" });
    const { people: _, ...stored } = approval;
    const undecided = { decidedAt: null, decidedBy: null, decidedByEmail: null, comment: null };
    expect(await findApproval(db(), approval.id)).toEqual({
      ...stored,
      ...undecided,
      state: "pending",
    });
    const write = { ...shared, runId: run, workflowId: "wf", lease, steps: [] };
    const again = {
      approvals: [approval],
      transition: { kind: "go_on" as const },
      isRepeated: true,
    };
    expect(await stores().store.workflowRuns.commit({ ...write, ...again })).toMatchObject({
      lost: false,
    });
    expect(await countPendingApprovals(db(), "ann")).toBe(1);
  });

  test("A process that has lost a run stores no approval", async () => {
    const { run } = await ask();
    const lost = newApproval({ runId: run, nodeId: "other" });
    const lease = { instanceId: "two", number: 9 };
    const write = { ...shared, runId: run, workflowId: "wf", lease, steps: [], approvals: [lost] };
    await stores().store.workflowRuns.commit({ ...write, transition: { kind: "go_on" } });
    expect(await findApproval(db(), lost.id)).toBeNull();
  });

  test("An approval is decided if it is pending, in time and has the hash that was shown", async () => {
    const { approval } = await ask();
    expect(await putDecision(db(), decide(approval.id, { hash: "other" }))).toBeFalse();
    expect(await putDecision(db(), decide(approval.id, { at: 9_000 }))).toBeFalse();
    expect(await putDecision(db(), decide(approval.id, { comment: "Fine" }))).toBeTrue();
    expect(await putDecision(db(), decide(approval.id, { state: "denied" }))).toBeFalse();
    expect(await findApproval(db(), approval.id)).toMatchObject({
      state: "approved",
      decidedAt: 5_000,
      decidedBy: "u1",
      decidedByEmail: "a@b.c",
      comment: "Fine",
    });
  });

  test("Of many decisions at once over two connections, one counts", async () => {
    const another = await stores().openAnother();
    const { approval } = await ask();
    const decided = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        putDecision(
          at % 2 === 0 ? db() : another.db,
          decide(approval.id, { by: `u${at}`, state: at % 3 === 0 ? "denied" : "approved" }),
        ),
      ),
    );
    expect(decided.filter(Boolean)).toHaveLength(1);
    expect((await findApproval(db(), approval.id))?.decidedBy).toBe(`u${decided.indexOf(true)}`);
  });

  test("An approval expires at its time and not before, unless it was decided", async () => {
    const { approval } = await ask();
    await expireApproval(db(), { id: approval.id, at: 8_999 });
    expect(await stateOf(approval.id)).toBe("pending");
    await expireApproval(db(), { id: approval.id, at: 9_000 });
    expect(await findApproval(db(), approval.id)).toMatchObject({
      state: "expired",
      decidedAt: 9_000,
      decidedBy: null,
    });
    const { approval: decided } = await ask();
    await putDecision(db(), decide(decided.id));
    await expireApproval(db(), { id: decided.id, at: 9_000 });
    expect(await stateOf(decided.id)).toBe("approved");
  });

  test("A decision makes a waiting run due, and one that runs due after it has parked", async () => {
    const waiting = await ask();
    await wakeWorkflowRun(db(), waiting.run, 5_000);
    expect(await listDueRuns(db(), 5_000, 10)).toMatchObject([{ id: waiting.run }]);
    const running = await ask({}, { kind: "go_on" });
    await wakeWorkflowRun(db(), running.run, 5_000);
    expect(await listDueRuns(db(), 5_000, 10)).toHaveLength(1);
    await commit(running.run, running.lease, park);
    expect(await listDueRuns(db(), 5_000, 10)).toHaveLength(2);
  });

  test("Cancelling a run, and its failure, end its pending approvals", async () => {
    const cancelled = await ask();
    await stores().store.workflowRuns.cancel({
      runId: cancelled.run,
      workflowId: "wf",
      at: 3_000,
      reason: "No",
      queue: queueOf(),
    });
    expect(await findApproval(db(), cancelled.approval.id)).toMatchObject({
      state: "cancelled",
      decidedAt: 3_000,
      decidedBy: null,
    });
    const failed = await ask({}, { kind: "go_on" });
    const decided = await ask({}, { kind: "go_on" });
    await putDecision(db(), decide(decided.approval.id));
    await commit(failed.run, failed.lease, end("failed"));
    await commit(decided.run, decided.lease, end("failed"));
    expect(await stateOf(failed.approval.id)).toBe("cancelled");
    expect(await stateOf(decided.approval.id)).toBe("approved");
    expect(await putDecision(db(), decide(failed.approval.id))).toBeFalse();
  });

  test("Approvals are purged with their run", async () => {
    const { approval, run, lease } = await ask(
      { people: [{ kind: "tag", name: "ops" }] },
      { kind: "go_on" },
    );
    await commit(run, lease, end("failed"));
    const bounds = { endedFrom: null, endedBefore: 10_000, runsMax: 10, stepsMax: 100 };
    await purgeWorkflowRuns(db(), bounds);
    expect(await findWorkflowRun(db(), run)).toBeNull();
    expect(await findApproval(db(), approval.id)).toBeNull();
    expect(await runSql(db(), "select * from workflow_approvers")).toEqual([]);
  });
}
