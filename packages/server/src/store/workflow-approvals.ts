import { type ExpressionBuilder, type Selectable, sql } from "kysely";
import type { Db } from "./database.ts";
import { toKysely } from "./kysely.ts";
import type { Tables } from "./tables.ts";
import type { ApprovalRecord, ApprovalState } from "./workflow-approval-records.ts";

/** Null if it does not exist. */
export async function findApproval(db: Db, id: string): Promise<ApprovalRecord | null> {
  const found = await toKysely(db)
    .selectFrom("workflow_approvals")
    .selectAll()
    .where("id", "=", id)
    .executeTakeFirst();
  return found === undefined ? null : toRecord(found);
}

/** The approvals of these runs, oldest first. */
export async function listApprovalsOfRuns(
  db: Db,
  runIds: readonly string[],
): Promise<ApprovalRecord[]> {
  if (runIds.length === 0) return [];
  const found = await toKysely(db)
    .selectFrom("workflow_approvals")
    .selectAll()
    .where("run_id", "in", runIds)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return found.map(toRecord);
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

/** A user who may be an approver, with the tags of this moment. */
export type ApprovalReader = { userId: string; email: string; tags: readonly string[] };

export type ApprovalFilter = {
  state?: ApprovalState | undefined;
  workflowId?: string | undefined;
  runId?: string | undefined;
  /** Those of which this user is an approver, or the owner of the workflow. Undefined for all. */
  visibleTo?: ApprovalReader | undefined;
  /** Those of which this user is an approver. */
  approver?: ApprovalReader | undefined;
};

/** A position in the list, which is newest first. */
export type ApprovalPlace = { createdAt: number; id: string };

type ApprovalPage = {
  after?: ApprovalPlace | undefined;
  limit: number;
  /** How many of the newest approvals after the place are looked at. */
  scannedMax: number;
};

/** One page of approvals of workflows that exist, newest first. */
export async function listApprovals(
  db: Db,
  { workflowId, runId, ...filter }: ApprovalFilter,
  { limit, scannedMax, after }: ApprovalPage,
): Promise<ApprovalRecord[]> {
  const span = selectSpan(db, filter.state, after).selectAll().limit(scannedMax);
  let query = toKysely(db)
    .selectFrom(span.as("workflow_approvals"))
    .innerJoin("workflows", "workflows.id", "workflow_approvals.workflow_id")
    .selectAll("workflow_approvals")
    .where("workflows.deleted_at", "is", null);
  if (workflowId !== undefined) query = query.where("workflow_id", "=", workflowId);
  if (runId !== undefined) query = query.where("run_id", "=", runId);
  const { visibleTo, approver } = filter;
  if (visibleTo !== undefined) {
    query = query.where((approval) =>
      approval.or([
        approval("workflows.owner_id", "=", visibleTo.userId),
        isApprover(approval, visibleTo),
      ]),
    );
  }
  if (approver !== undefined) query = query.where((approval) => isApprover(approval, approver));
  const found = await query
    .orderBy("workflow_approvals.created_at", "desc")
    .orderBy("workflow_approvals.id", "desc")
    .limit(limit)
    .execute();
  return found.map(toRecord);
}

/** The place of the approval that is this many after a place. Null if there are fewer. */
export async function findApprovalAt(
  db: Db,
  { state }: Pick<ApprovalFilter, "state">,
  after: ApprovalPlace | undefined,
  offset: number,
): Promise<ApprovalPlace | null> {
  const found = await selectSpan(db, state, after)
    .select(["created_at as createdAt", "id"])
    .offset(offset)
    .limit(1)
    .executeTakeFirst();
  return found ?? null;
}

function selectSpan(db: Db, state: ApprovalState | undefined, after: ApprovalPlace | undefined) {
  let query = toKysely(db)
    .selectFrom("workflow_approvals")
    .orderBy("created_at", "desc")
    .orderBy("id", "desc");
  // A literal, because SQLite uses no partial index for a parameter.
  if (state !== undefined) query = query.where("state", "=", sql.lit(state));
  if (after !== undefined) {
    query = query.where((approval) =>
      approval.or([
        approval("created_at", "<", after.createdAt),
        approval.and([approval("created_at", "=", after.createdAt), approval("id", "<", after.id)]),
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
    .where((approval) => isApprover(approval, reader))
    .executeTakeFirst();
  return found !== undefined;
}

function isApprover(
  approval: ExpressionBuilder<Tables, "workflow_approvals">,
  { userId, email, tags }: ApprovalReader,
) {
  const named = approval
    .selectFrom("workflow_approvers")
    .select("approval_id")
    .whereRef("workflow_approvers.approval_id", "=", "workflow_approvals.id")
    .where((one) =>
      one.or([
        // Both: the user who was meant, by the name that was written.
        one.and([one("kind", "=", "user"), one("name", "=", userId), one("email", "=", email)]),
        ...(tags.length === 0 ? [] : [one.and([one("kind", "=", "tag"), one("name", "in", tags)])]),
      ]),
    );
  return approval.exists(named);
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

/** Ends an approval that nobody has decided in time. */
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

function toRecord(stored: Selectable<Tables["workflow_approvals"]>): ApprovalRecord {
  return {
    id: stored.id,
    workflowId: stored.workflow_id,
    runId: stored.run_id,
    nodeId: stored.node_id,
    bodyId: stored.body_id,
    version: stored.version,
    ownerId: stored.owner_id,
    state: stored.state,
    title: stored.title,
    details: stored.details,
    approvers: stored.approvers,
    isSelf: stored.is_self === 1,
    startedBy: stored.started_by,
    starterIds: stored.starter_ids,
    editorIds: stored.editor_ids,
    willRun: stored.will_run,
    expected: stored.expected,
    hash: stored.hash,
    createdAt: stored.created_at,
    expiresAt: stored.expires_at,
    decidedAt: stored.decided_at,
    decidedBy: stored.decided_by,
    decidedByEmail: stored.decided_by_email,
    comment: stored.comment,
  };
}
