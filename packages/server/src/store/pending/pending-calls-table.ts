import type { Db, Transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { tableColumns } from "../database/table-columns.ts";
import { toFlag } from "../database/tables/flag.ts";
import { type PendingCall, toPendingCall } from "./pending-call-record.ts";

/** Null if it does not exist. */
export async function findPendingCall(db: Db, id: string): Promise<PendingCall | null> {
  const found = await toKysely(db)
    .selectFrom("pending_calls")
    .select(tableColumns.pending_calls)
    .where("id", "=", id)
    .executeTakeFirst();
  return found === undefined ? null : toPendingCall(found);
}

/** Whose calls of which operation. */
export type CallSeries = Pick<PendingCall, "userId" | "principal" | "rowId" | "operationKey">;

/** What may answer an equal call. */
const answering = ["open", "approved", "running", "done", "denied", "unknown"] as const;

/** The pending calls of a principal and an operation that may answer a repeat, newest first. */
export async function listAnsweringCalls(
  db: Db,
  { userId, principal, rowId, operationKey }: CallSeries,
  limit: number,
): Promise<PendingCall[]> {
  const found = await toKysely(db)
    .selectFrom("pending_calls")
    .select(tableColumns.pending_calls)
    .where("user_id", "=", userId)
    .where("principal", "=", principal)
    .where("row_id", "=", rowId)
    .where("operation_key", "=", operationKey)
    .where("state", "in", answering)
    .orderBy("created_at", "desc")
    .limit(limit)
    .execute();
  return found.map(toPendingCall);
}

/** The most questions that may be open at once. */
export type OpenLimits = { ofUser: number; ofOperation: number };

/** Why a question is not asked. */
export type QuestionRefusal = "user" | "operation";

/**
 * Stores a question, unless too many are open. Two equal calls at once are two transactions that read the same
 * questions: the second one finds the first one's question and returns it.
 */
export async function insertPendingCall(
  trx: Transaction,
  call: PendingCall,
  limits: OpenLimits,
): Promise<{ stored: PendingCall } | { refused: QuestionRefusal }> {
  const kysely = toKysely(trx);
  const open = await kysely
    .selectFrom("pending_calls")
    .select([
      "id",
      "principal",
      "row_id",
      "operation_key",
      "digest",
      "digest_key",
      "basis",
      "reason",
    ])
    .where("user_id", "=", call.userId)
    .where("state", "in", ["open", "approved"])
    .where("expires_at", ">", call.createdAt)
    .limit(limits.ofUser)
    .execute();
  const ofSeries = open.filter(
    (one) =>
      one.principal === call.principal &&
      one.row_id === call.rowId &&
      one.operation_key === call.operationKey,
  );
  const equal = ofSeries.find(
    (one) =>
      one.digest === call.digest &&
      one.digest_key === call.digestKey &&
      one.basis === call.basis &&
      one.reason === call.reason,
  );
  if (equal !== undefined) {
    const stored = await findPendingCall(trx, equal.id);
    if (stored !== null) return { stored };
  }
  if (ofSeries.length >= limits.ofOperation) return { refused: "operation" };
  if (open.length >= limits.ofUser) return { refused: "user" };
  await kysely.insertInto("pending_calls").values(toColumns(call)).execute();
  const { decider } = call;
  if (decider.kind === "tags" && decider.tags.length > 0) {
    const deciders = decider.tags.map((name) => ({ call_id: call.id, kind: "tag" as const, name }));
    await kysely.insertInto("pending_call_deciders").values(deciders).execute();
  }
  return { stored: call };
}

function toColumns(call: PendingCall) {
  return {
    id: call.id,
    user_id: call.userId,
    principal: call.principal,
    principal_name: call.principalName,
    row_id: call.rowId,
    operation_key: call.operationKey,
    reason: call.reason,
    state: call.state,
    sealed: call.sealed,
    digest_key: call.digestKey,
    digest: call.digest,
    basis: call.basis,
    shown: JSON.stringify(call.shown),
    decider: JSON.stringify(call.decider),
    excluded: JSON.stringify(call.excluded),
    rule_id: call.ruleId,
    rule_revision: call.ruleRevision,
    confirm: call.confirm,
    runs_by_itself: toFlag(call.runsByItself),
    origin: JSON.stringify(call.origin),
    asked_run_id: call.askedRunId,
    created_at: call.createdAt,
    expires_at: call.expiresAt,
    keep_until: call.keepUntil,
    task: toFlag(call.isTask),
  };
}

/** A decision of a person. `approvedUntil` is when an approval ends that was not used. */
export type PendingDecision = {
  id: string;
  state: "approved" | "denied";
  at: number;
  by: string;
  byEmail: string;
  /** The page, or the chat platform. */
  via: string;
  comment: string | null;
  approvedUntil: number | null;
  keepUntil: number;
};

/** Decides a call that is open and in time. False if it is not. Its deciders are checked by the caller of this. */
export async function putPendingDecision(db: Db, decision: PendingDecision): Promise<boolean> {
  const { numUpdatedRows } = await toKysely(db)
    .updateTable("pending_calls")
    .set({
      state: decision.state,
      decided_at: decision.at,
      decided_by: decision.by,
      decided_by_email: decision.byEmail,
      decided_via: decision.via,
      comment: decision.comment,
      approved_until: decision.approvedUntil,
      keep_until: decision.keepUntil,
    })
    .where("id", "=", decision.id)
    .where("state", "=", "open")
    .where("expires_at", ">", decision.at)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** The use of an approval by a call that begins now. */
export type PendingClaim = {
  id: string;
  /** Of the params that are about to run, and of what they are sent to. */
  digest: string;
  basis: string;
  runId: string;
  instanceId: string;
  at: number;
};

/**
 * Uses an approval: false if it was used already, is late, or is of another call. In the transaction that writes the record
 * of the call.
 */
export async function claimPendingCall(trx: Transaction, claim: PendingClaim): Promise<boolean> {
  const { numUpdatedRows } = await toKysely(trx)
    .updateTable("pending_calls")
    .set({ state: "running", run_id: claim.runId, instance_id: claim.instanceId })
    .where("id", "=", claim.id)
    .where("state", "=", "approved")
    .where("approved_until", ">", claim.at)
    .where("digest", "=", claim.digest)
    .where("basis", "=", claim.basis)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Stores how a running call ended. False if it does not run any more. */
export async function finishPendingCall(
  db: Db,
  end: { id: string; runId: string; result: Uint8Array | null; at: number; keepUntil: number },
): Promise<boolean> {
  const { numUpdatedRows } = await toKysely(db)
    .updateTable("pending_calls")
    .set({ state: "done", result: end.result, result_at: end.at, keep_until: end.keepUntil })
    .where("id", "=", end.id)
    .where("state", "=", "running")
    .where("run_id", "=", end.runId)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
