import type { WorkflowRunMode } from "../workflow-runs/workflow-run-columns.ts";
import type { Cancellation, CancelWrite } from "../workflow-runs/workflow-run-records.ts";
import { promoteNext, wakeRun } from "./claim-run.ts";
import { toRunKind } from "./count-active-runs.ts";
import type { MarkingTransaction } from "./run-transaction.ts";
import { endQuestions } from "./write-approvals.ts";

export async function cancelRun(db: MarkingTransaction, write: CancelWrite): Promise<Cancellation> {
  const { runId, workflowId, at, reason, queue } = write;
  const [run] = await db.all<{
    state: string;
    scheduled_at: number | null;
    event_bytes: number;
    lease_instance: string | null;
    waiter_run_id: string | null;
    mode: WorkflowRunMode;
  }>(
    `select state, scheduled_at, event_bytes, lease_instance, waiter_run_id, mode from workflow_runs
     where id = ? and workflow_id = ?`,
    [runId, workflowId],
  );
  if (run === undefined) return "absent";
  if (!["queued", "running", "waiting"].includes(run.state)) return "ended";
  if (run.lease_instance !== null) {
    await db.run(
      `update workflow_runs set cancel_requested_at = coalesce(cancel_requested_at, ?),
         cancel_reason = coalesce(cancel_reason, ?) where id = ?`,
      [at, reason, runId],
    );
    return "asked";
  }
  await db.run(
    `update workflow_runs set state = 'cancelled', ended_at = ?, cancel_reason = ?, due_at = null,
       scheduled_at = null, waiting_for = null where id = ?`,
    [at, reason, runId],
  );
  if (run.mode === "live") {
    db.counts.move({ workflowId, bytes: run.event_bytes }, toRunKind(run), null);
  }
  await db.run(
    `update workflow_steps set state = 'cancelled', ended_at = ?
     where run_id = ? and state in ('running', 'waiting')`,
    [at, runId],
  );
  if (run.state === "waiting") await endQuestions(db, runId, at);
  if (run.waiter_run_id !== null) await wakeRun(db, run.waiter_run_id, at);
  await promoteNext(db, { workflowId, at, queue, claimBy: null });
  return "cancelled";
}
