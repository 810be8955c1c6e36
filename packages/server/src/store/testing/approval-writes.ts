import { newStep, newWorkflowRun, queueOf } from "../test-data.ts";
import type { NewApproval } from "../workflow-runs/workflow-approval-records.ts";
import type { CommitWrite, Lease } from "../workflow-runs/workflow-run-records.ts";
import { newApproval } from "./insert-approval.ts";
import type { TestStores } from "./test-stores.ts";

/** Approvals as runs ask for them, and decisions. */
export function createApprovalWrites(stores: () => TestStores) {
  const db = () => stores().store.db;
  const shared = { answer: null, starts: [], at: 2_000 };
  const end = (state: "succeeded" | "failed"): CommitWrite["transition"] => ({
    kind: "end",
    state,
    error: null,
    lastNode: null,
    waiterRunId: null,
    activeMs: 5,
    queue: queueOf(),
    claimBy: null,
  });
  const park: CommitWrite["transition"] = {
    kind: "park",
    dueAt: 9_000,
    waitingFor: "{}",
    activeMs: 5,
    queue: null,
    claimBy: null,
  };

  /** A run that asks, and then waits in no process, unless `transition` says otherwise. */
  async function ask(
    given: Partial<NewApproval> = {},
    transition: CommitWrite["transition"] = park,
  ) {
    const run = newWorkflowRun({ workflowId: given.workflowId ?? "wf" });
    const { workflowRuns } = stores().store;
    const write = { run, queue: queueOf({ runsAtOnce: 100 }), deliveryId: null, claimBy: "one" };
    const accepted = await workflowRuns.accept(write);
    if (accepted.kind !== "started") throw new Error(`The run is ${accepted.kind}`);
    const approval = newApproval({ runId: run.id, summary: "{}", ...given });
    const steps = [newStep({ nodeId: "ask", state: "waiting", endedAt: null })];
    const { lease } = accepted;
    const origin = { runId: run.id, workflowId: run.workflowId, lease };
    await workflowRuns.commit({ ...shared, ...origin, steps, approvals: [approval], transition });
    return { approval, run: run.id, lease };
  }
  const commit = (runId: string, lease: Lease, transition: CommitWrite["transition"]) =>
    stores().store.workflowRuns.commit({
      ...shared,
      runId,
      workflowId: "wf",
      lease,
      steps: [],
      transition,
    });
  const decide = (id: string, given: object = {}) => ({
    id,
    hash: "h",
    state: "approved" as const,
    at: 5_000,
    by: "u1",
    byEmail: "a@b.c",
    comment: null,
    ...given,
  });
  return { db, shared, end, park, ask, commit, decide };
}
