import type {
  Acceptance,
  ClaimedRun,
  Commitment,
  CommitWrite,
  RunTransition,
} from "../workflow-runs/workflow-run-records.ts";
import { acceptRun, findAcceptance } from "./accept-run.ts";
import { promoteNext, wakeRun } from "./claim-run.ts";
import { putStep } from "./put-step.ts";
import type { MarkingTransaction } from "./run-transaction.ts";
import { endQuestions, insertApproval } from "./write-approvals.ts";

export async function commitSteps(db: MarkingTransaction, write: CommitWrite): Promise<Commitment> {
  const { runId, lease, steps, answer, starts, isRepeated = false } = write;
  const held = await db.all(
    `select 1 from workflow_runs
     where id = ? and lease_instance = ? and lease_number = ? and state = 'running'`,
    [runId, lease.instanceId, lease.number],
  );
  if (held.length === 0) return { lost: true };
  for (const step of steps) await putStep(db, runId, step);
  for (const approval of write.approvals ?? []) await insertApproval(db, approval);
  if (answer !== null) {
    await db.run("update workflow_runs set answer = ? where id = ? and answer is null", [
      answer,
      runId,
    ]);
  }
  const acceptances: Acceptance[] = [];
  for (const start of starts) {
    const known = isRepeated ? await findAcceptance(db, start) : null;
    acceptances.push(known ?? (await acceptRun(db, start)));
  }
  return { lost: false, acceptances, next: await applyTransition(db, write) };
}

async function applyTransition(
  db: MarkingTransaction,
  write: CommitWrite,
): Promise<ClaimedRun | null> {
  switch (write.transition.kind) {
    case "go_on":
      return null;
    case "park":
      return await parkRun(db, write, write.transition);
    case "end":
      return await endRun(db, write, write.transition);
  }
}

/** Only live runs count for the queue policy. */
function isCounted(mode: CommitWrite["mode"] = "live"): boolean {
  return mode === "live";
}

async function parkRun(
  db: MarkingTransaction,
  { runId, workflowId, at, mode }: CommitWrite,
  { dueAt, waitingFor, activeMs, queue, claimBy }: Extract<RunTransition, { kind: "park" }>,
): Promise<ClaimedRun | null> {
  // A run for which this one waits may have ended while this one was running: then it is due already.
  const [parked] = await db.all<{ due_at: number | null }>(
    `update workflow_runs set state = 'waiting', due_at = coalesce(due_at, ?), waiting_for = ?,
       lease_instance = null, active_ms = ? where id = ? returning due_at`,
    [dueAt, waitingFor, activeMs, runId],
  );
  if (isCounted(mode)) db.counts.move({ workflowId }, "running", "waiting");
  if (parked?.due_at != null) db.markDue({ runId, dueAt: Number(parked.due_at) });
  return queue === null ? null : await promoteNext(db, { workflowId, at, queue, claimBy });
}

async function endRun(
  db: MarkingTransaction,
  { runId, workflowId, at, mode }: CommitWrite,
  transition: Extract<RunTransition, { kind: "end" }>,
): Promise<ClaimedRun | null> {
  const { state, error, lastNode, waiterRunId, activeMs, queue, claimBy } = transition;
  await db.run(
    `update workflow_runs set state = ?, ended_at = ?, error = ?, last_node = ?, active_ms = ?,
       lease_instance = null, due_at = null, waiting_for = null, cancel_requested_at = null where id = ?`,
    [state, at, error, lastNode, activeMs, runId],
  );
  // A run that has succeeded waited for all of its approvals.
  if (state !== "succeeded") await endQuestions(db, runId, at);
  if (isCounted(mode)) db.counts.move({ workflowId }, "running", null);
  if (waiterRunId !== null) await wakeRun(db, waiterRunId, at);
  return await promoteNext(db, { workflowId, at, queue, claimBy });
}
