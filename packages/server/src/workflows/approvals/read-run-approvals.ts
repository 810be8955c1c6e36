import type { Db } from "../../store/database/database.ts";
import type {
  ApprovalMark,
  ApprovalRecord,
} from "../../store/workflow-runs/workflow-approval-records.ts";
import {
  expireApproval,
  findApproved,
  listApprovalMarks,
} from "../../store/workflow-runs/workflow-approvals-table.ts";
import type { ClaimedRun } from "../../store/workflow-runs/workflow-run-records.ts";
import { listParentRuns } from "../../store/workflow-runs/workflow-runs-table.ts";

/** The approvals of a run, as they are now. Those whose time is over expire. */
export async function readRunApprovals(
  { db, now }: { db: Db; now(): number },
  runId: string,
): Promise<ApprovalMark[]> {
  const at = now();
  const approvals = await listApprovalMarks(db, runId);
  const late = approvals.filter(({ state, expiresAt }) => state === "pending" && expiresAt <= at);
  if (late.length === 0) return approvals;
  for (const { id } of late) await expireApproval(db, { id, at });
  // Another server may have decided one just before.
  return await listApprovalMarks(db, runId);
}

/**
 * What an approved node of a run was shown to lead to: in this run, or in the one from which it took
 * over the step of the node. Null if there is none.
 */
export async function findGivenApproval(
  { db }: { db: Db },
  run: Pick<ClaimedRun, "id" | "workflowId">,
  nodeId: string,
): Promise<Pick<ApprovalRecord, "bodyId" | "expected"> | null> {
  const parents = await listParentRuns(db, run.id);
  const own = parents.filter(({ workflowId }) => workflowId === run.workflowId);
  return await findApproved(db, [run.id, ...own.map(({ id }) => id)], nodeId);
}
