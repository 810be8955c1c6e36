import { sql } from "kysely";
import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { tableColumns } from "../database/table-columns.ts";
import { type ApprovalReader, isApprover } from "./approval-readers.ts";
import { markColumns, toMark, toRecord } from "./workflow-approval-columns.ts";
import type { ApprovalMark, ApprovalRecord, ApprovalState } from "./workflow-approval-records.ts";

/** Null if it does not exist. */
export async function findApproval(db: Db, id: string): Promise<ApprovalRecord | null> {
  const found = await toKysely(db)
    .selectFrom("workflow_approvals")
    .select(tableColumns.workflow_approvals)
    .where("id", "=", id)
    .executeTakeFirst();
  return found === undefined ? null : toRecord(found);
}

/** The approvals of a run, oldest first. */
export async function listApprovalMarks(db: Db, runId: string): Promise<ApprovalMark[]> {
  const found = await toKysely(db)
    .selectFrom("workflow_approvals")
    .select(markColumns)
    .where("run_id", "=", runId)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return found.map(toMark);
}

/** What the approved node of one of these runs was shown to lead to. `runIds` are in order of precedence. */
export async function findApproved(
  db: Db,
  runIds: readonly string[],
  nodeId: string,
): Promise<Pick<ApprovalRecord, "bodyId" | "expected"> | null> {
  const found = await toKysely(db)
    .selectFrom("workflow_approvals")
    .select(["run_id as runId", "body_id as bodyId", "expected"])
    .where("run_id", "in", runIds)
    .where("node_id", "=", nodeId)
    .where("state", "=", "approved")
    .execute();
  const byRun = new Map(found.map((one) => [one.runId, one]));
  for (const runId of runIds) {
    const approved = byRun.get(runId);
    if (approved !== undefined) return approved;
  }
  return null;
}

/** The number of pending approvals of the workflows of an owner. */
export async function countPendingApprovals(db: Db, ownerId: string): Promise<number> {
  const { approvals } = await toKysely(db)
    .selectFrom("workflow_approvals")
    .select((approval) => approval.fn.countAll<number>().as("approvals"))
    .where("owner_id", "=", ownerId)
    .where("state", "=", sql.lit("pending" as const))
    .executeTakeFirstOrThrow();
  return Number(approvals);
}

export type ApprovalFilter = {
  state?: ApprovalState | undefined;
  workflowId?: string | undefined;
  runId?: string | undefined;
  /** Those that wait no longer at this time (epoch ms). */
  decidedBy?: number | undefined;
  /** Those of which this user is an approver, or the owner of the workflow. Undefined for all. */
  visibleTo?: ApprovalReader | undefined;
  /** Those of which this user is an approver. */
  approver?: ApprovalReader | undefined;
  /** Those that are pending at this time and that this user may decide, if one of the approvers. */
  decider?: { userId: string; at: number } | undefined;
};

/**
 * Those of `ids` that match, of workflows that exist, newest first and at most `limit`, and whether `reader` may decide
 * each.
 */
export async function listApprovals(
  db: Db,
  filter: ApprovalFilter,
  reader: ApprovalReader,
  { ids, limit }: { ids: readonly string[]; limit: number },
): Promise<Array<ApprovalMark & { isApprover: boolean }>> {
  const found = await selectMatching(db, filter, ids)
    .select(markColumns.map((name) => `workflow_approvals.${name}` as const))
    .select(isApprover(reader).as("is_approver"))
    .orderBy("workflow_approvals.created_at", "desc")
    .orderBy("workflow_approvals.id", "desc")
    .limit(limit)
    .execute();
  return found.map(({ is_approver, ...mark }) => ({
    ...toMark(mark),
    isApprover: Boolean(is_approver),
  }));
}

/** How many of `ids` match. */
export async function countApprovals(
  db: Db,
  filter: ApprovalFilter,
  ids: readonly string[],
): Promise<number> {
  const { approvals } = await selectMatching(db, filter, ids)
    .select((approval) => approval.fn.countAll<number>().as("approvals"))
    .executeTakeFirstOrThrow();
  return Number(approvals);
}

function selectMatching(
  db: Db,
  { workflowId, runId, decidedBy, visibleTo, approver, decider, state }: ApprovalFilter,
  ids: readonly string[],
) {
  let query = toKysely(db)
    .selectFrom("workflow_approvals")
    .innerJoin("workflows", "workflows.id", "workflow_approvals.workflow_id")
    .where("workflow_approvals.id", "in", ids)
    .where("workflows.deleted_at", "is", null);
  if (state !== undefined) query = query.where("workflow_approvals.state", "=", state);
  if (workflowId !== undefined) query = query.where("workflow_id", "=", workflowId);
  if (runId !== undefined) query = query.where("run_id", "=", runId);
  if (decidedBy !== undefined) {
    query = query.where((approval) =>
      approval.or([
        approval("workflow_approvals.state", "!=", "pending"),
        approval("workflow_approvals.expires_at", "<=", decidedBy),
      ]),
    );
  }
  if (visibleTo !== undefined) {
    query = query.where((approval) =>
      approval.or([approval("workflows.owner_id", "=", visibleTo.userId), isApprover(visibleTo)]),
    );
  }
  if (approver !== undefined) query = query.where(isApprover(approver));
  if (decider !== undefined) {
    // The lists are JSON texts of ids, which are UUIDs.
    const isNamed = `%"${decider.userId}"%`;
    query = query
      .where("workflow_approvals.state", "=", "pending")
      .where("workflow_approvals.expires_at", ">", decider.at)
      .where((approval) =>
        approval.or([
          approval("workflow_approvals.is_self", "=", 1),
          approval.and([
            approval("workflow_approvals.starter_ids", "not like", isNamed),
            approval("workflow_approvals.editor_ids", "not like", isNamed),
          ]),
        ]),
      );
  }
  return query;
}

/** Whether a user is one of those who may decide an approval. */
export async function isApproverOf(db: Db, id: string, reader: ApprovalReader): Promise<boolean> {
  const found = await toKysely(db)
    .selectFrom("workflow_approvals")
    .select("id")
    .where("id", "=", id)
    .where(isApprover(reader))
    .executeTakeFirst();
  return found !== undefined;
}

export type ApprovalDecision = {
  id: string;
  hash: string;
  state: "approved" | "denied";
  at: number;
  by: string;
  byEmail: string;
  comment: string | null;
};

/** Decides an approval that is pending and in time, and was shown with this hash. False if it is not. */
export async function putDecision(db: Db, decision: ApprovalDecision): Promise<boolean> {
  const { id, hash, state, at, by, byEmail, comment } = decision;
  const { numUpdatedRows } = await toKysely(db)
    .updateTable("workflow_approvals")
    .set({ state, decided_at: at, decided_by: by, decided_by_email: byEmail, comment })
    .where("id", "=", id)
    .where("state", "=", "pending")
    .where("hash", "=", hash)
    .where("expires_at", ">", at)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Ends an approval that was not decided in time. */
export async function expireApproval(
  db: Db,
  { id, at }: { id: string; at: number },
): Promise<void> {
  await toKysely(db)
    .updateTable("workflow_approvals")
    .set((approval) => ({ state: "expired", decided_at: approval.ref("expires_at") }))
    .where("id", "=", id)
    .where("state", "=", "pending")
    .where("expires_at", "<=", at)
    .execute();
}
