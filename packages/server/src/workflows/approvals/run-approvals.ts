import type { Db } from "../../store/database.ts";
import type { ApprovalRecord } from "../../store/workflow-approval-records.ts";
import { expireApproval, listApprovalsOfRuns } from "../../store/workflow-approvals.ts";
import type { ClaimedRun } from "../../store/workflow-run-records.ts";
import { listParentRuns } from "../../store/workflow-runs.ts";

/** The approvals of a run, as they are now. Those whose time is over expire. */
export async function readApprovals(
  { db, now }: { db: Db; now(): number },
  runId: string,
): Promise<ApprovalRecord[]> {
  const at = now();
  const approvals = await listApprovalsOfRuns(db, [runId]);
  const late = approvals.filter(({ state, expiresAt }) => state === "pending" && expiresAt <= at);
  if (late.length === 0) return approvals;
  for (const { id } of late) await expireApproval(db, { id, at });
  // Another server may have decided one just before.
  return await listApprovalsOfRuns(db, [runId]);
}

/**
 * The approval that a node of a run was given: by this run, or by the one from which it took over the
 * step of the node. Null if there is none.
 */
export async function findGivenApproval(
  { db }: { db: Db },
  run: Pick<ClaimedRun, "id" | "workflowId">,
  nodeId: string,
): Promise<ApprovalRecord | null> {
  const parents = await listParentRuns(db, run.id);
  const ids = [
    run.id,
    ...parents.filter((one) => one.workflowId === run.workflowId).map((one) => one.id),
  ];
  const approvals = await listApprovalsOfRuns(db, ids);
  const given = approvals.filter((one) => one.nodeId === nodeId && one.state === "approved");
  return (
    given.toSorted((one, other) => ids.indexOf(one.runId) - ids.indexOf(other.runId))[0] ?? null
  );
}
