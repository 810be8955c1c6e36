import { sql } from "kysely";
import type { Db, Transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { tableColumns } from "../database/table-columns.ts";
import { toFlag } from "../database/tables/flag.ts";
import { toCallSummary } from "./call-summary.ts";
import { type PendingCall, toPendingCall } from "./pending-call-record.ts";
import { findWorkflowRunId, workflowPrefix } from "./workflow-principal.ts";

/** Null if it does not exist. */
export async function findPendingCall(db: Db, id: string): Promise<PendingCall | null> {
  const found = await toKysely(db)
    .selectFrom("pending_calls")
    .select(tableColumns.pending_calls)
    .where("id", "=", id)
    .executeTakeFirst();
  return found === undefined ? null : toPendingCall(found);
}

/** Whose a pending call is, and its state: without what is sealed, so that it can be read often. */
export async function findPendingState(
  db: Db,
  id: string,
): Promise<Pick<PendingCall, "userId" | "principal" | "state"> | null> {
  const found = await toKysely(db)
    .selectFrom("pending_calls")
    .select(["user_id", "principal", "state"])
    .where("id", "=", id)
    .executeTakeFirst();
  if (found === undefined) return null;
  return { userId: found.user_id, principal: found.principal, state: found.state };
}

/** Whose calls of which operation. */
export type CallSeries = Pick<PendingCall, "userId" | "principal" | "rowId" | "operationKey">;

/** What may answer an equal call. A literal, because SQLite uses no partial index for parameters. */
const isAnswering = sql<boolean>`state in ('open', 'approved', 'running', 'done', 'denied', 'unknown')`;
const isUndecidedOrUnused = sql<boolean>`state in ('open', 'approved')`;
/** Older ones answer nothing: their questions and results have ended. */
const equalMax = 20;

/** The pending calls of a principal with one of these digests that may answer a repeat, newest first. */
export async function listAnsweringCalls(
  db: Db,
  { userId, principal, digests }: Pick<CallSeries, "userId" | "principal"> & { digests: string[] },
): Promise<PendingCall[]> {
  const found = await toKysely(db)
    .selectFrom("pending_calls")
    .select(tableColumns.pending_calls)
    .where("user_id", "=", userId)
    .where("principal", "=", principal)
    .where("digest", "in", digests)
    .where(isAnswering)
    // Not the column itself: SQLite would read all calls of the user in this order, and not the few that are equal.
    .orderBy(sql`created_at + 0`, "desc")
    .orderBy("id", "desc")
    .limit(equalMax)
    .execute();
  return found.map(toPendingCall);
}

/** The times at which people denied calls of an operation by a principal, newest first. */
export async function listDenials(
  db: Db,
  { userId, principal, rowId, operationKey }: CallSeries,
  { since, limit }: { since: number; limit: number },
): Promise<number[]> {
  const found = await toKysely(db)
    .selectFrom("pending_calls")
    .select("decided_at as at")
    .where("user_id", "=", userId)
    .where("principal", "=", principal)
    .where("row_id", "=", rowId)
    .where("operation_key", "=", operationKey)
    .where(sql<boolean>`state = 'denied'`)
    .where("decided_at", ">", since)
    .orderBy("decided_at", "desc")
    .limit(limit)
    .execute();
  return found.flatMap(({ at }) => (at === null ? [] : [at]));
}

/** The most questions that may be open at once: of a user's clients, as many again of the user's workflows. */
export type OpenLimits = { ofUser: number; ofOperation: number };

/** Why a question is not asked. */
export type QuestionRefusal = "user" | "operation";

type QuestionOutcome = { stored: PendingCall } | { refused: QuestionRefusal };

/**
 * Stores a question, unless too many are open. Two equal calls at once are two transactions that read the same
 * questions: the second one finds the first one's question and returns it.
 */
export async function insertPendingCall(
  trx: Transaction,
  call: PendingCall,
  limits: OpenLimits,
): Promise<QuestionOutcome> {
  const found = await findEqualOrRefuse(trx, call, limits);
  if (found !== null) return found;
  await toKysely(trx).insertInto("pending_calls").values(toColumns(call)).execute();
  await insertDeciders(trx, call);
  return { stored: call };
}

/**
 * Stores the question of a rule about a call that has waited for an account: it stays the same call, and the same task.
 * Otherwise as `insertPendingCall`. Null if the call does not wait any more.
 */
export async function putAskedQuestion(
  trx: Transaction,
  call: PendingCall,
  limits: OpenLimits,
): Promise<QuestionOutcome | null> {
  const found = await findEqualOrRefuse(trx, call, limits);
  if (found !== null) return found;
  // The same client made it at the same time. Whether it is a task stays as well, with nothing answered.
  const { created_at: _createdAt, origin: _origin, task: _task, ...asked } = toColumns(call);
  const { numUpdatedRows } = await toKysely(trx)
    .updateTable("pending_calls")
    .set({
      ...asked,
      decided_at: null,
      decided_by: null,
      decided_via: null,
      approved_until: null,
      reminded_at: null,
      chat_state: "",
      task: sql`case when task > 0 then 1 else 0 end`,
    })
    .where("id", "=", call.id)
    .where("reason", "=", "account")
    .where(isUndecidedOrUnused)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return null;
  await insertDeciders(trx, call);
  return { stored: call };
}

/** The open question that is equal, or why no further one is asked; null if it may be asked. */
async function findEqualOrRefuse(
  trx: Transaction,
  call: PendingCall,
  limits: OpenLimits,
): Promise<QuestionOutcome | null> {
  const open = await toKysely(trx)
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
    // The questions for accounts take no place of those that people decide, and those of workflows none of those of clients.
    .where("reason", "=", call.reason)
    .where(
      "principal",
      findWorkflowRunId(call) === null ? "not like" : "like",
      `${workflowPrefix}%`,
    )
    .where(isUndecidedOrUnused)
    .where((one) =>
      one.or([
        one.and([one("state", "=", "open"), one("expires_at", ">", call.createdAt)]),
        one.and([one("state", "=", "approved"), one("approved_until", ">", call.createdAt)]),
      ]),
    )
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
  return null;
}

async function insertDeciders(
  trx: Transaction,
  { id, decider }: Pick<PendingCall, "id" | "decider">,
): Promise<void> {
  if (decider.kind !== "tags" || decider.tags.length === 0) return;
  const deciders = decider.tags.map((name) => ({ call_id: id, kind: "tag" as const, name }));
  await toKysely(trx).insertInto("pending_call_deciders").values(deciders).execute();
}

/** What is stored of a new pending call. */
export function toColumns(call: PendingCall) {
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
    summary: JSON.stringify(toCallSummary(call.shown)),
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
