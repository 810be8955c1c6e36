import type { DecideWrite } from "../workflow-runs/workflow-run-records.ts";
import { putStep } from "./put-step.ts";
import type { MarkingTransaction } from "./run-transaction.ts";

/**
 * Stores how steps have ended of which a waiting run did not know, and makes the run due. False if the
 * run does not wait as it did when the decision was made: another decision came first, or it was
 * cancelled.
 */
export async function decideSteps(
  db: MarkingTransaction,
  { runId, workflowId, at, leaseNumber, steps, again }: DecideWrite,
): Promise<boolean> {
  const claimed = await db.run(
    `update workflow_runs set due_at = ?
     where id = ? and workflow_id = ? and state = 'waiting' and due_at is null
       and lease_instance is null and lease_number = ?`,
    [at, runId, workflowId, leaseNumber],
  );
  if (claimed === 0) return false;
  for (const step of steps) await putStep(db, runId, step);
  for (const { nodeId, item } of again) {
    await db.run("delete from workflow_steps where run_id = ? and node_id = ? and item = ?", [
      runId,
      nodeId,
      item,
    ]);
  }
  db.markDue({ runId, dueAt: at });
  return true;
}
