import { sql } from "kysely";
import { type Db, type Transaction, transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { effectiveRole, effectiveStatus, isEffectiveTag } from "../users/effective-user.ts";
import { hasLostGrant, hasLostToken, type OwnedTable } from "./list-runnable-calls.ts";

/** Literals, because SQLite uses no partial index for parameters. */
const isOpen = sql<boolean>`state = 'open'`;
const isApproved = sql<boolean>`state = 'approved'`;
const isRunning = sql<boolean>`state = 'running'`;
const isWaiting = sql<boolean>`state in ('open', 'approved')`;

/** Ends the questions that were not decided in time, and the approvals that were not used. */
export async function expirePendingCalls(db: Db, at: number): Promise<number> {
  const expired = await toKysely(db)
    .updateTable("pending_calls")
    .set({ state: "expired", ended_reason: "not decided" })
    .where(isOpen)
    .where("expires_at", "<=", at)
    .executeTakeFirst();
  const unused = await toKysely(db)
    .updateTable("pending_calls")
    .set({ state: "expired", ended_reason: "not used" })
    // The index is of all that wait, and SQLite uses it only for its own condition.
    .where(isWaiting)
    .where(isApproved)
    .where("approved_until", "<=", at)
    .executeTakeFirst();
  return Number(expired.numUpdatedRows + unused.numUpdatedRows);
}

/** How long the process that has recorded the end of a call may take to store its result. */
const finishMsMax = 60_000;

/**
 * Marks calls whose process died while they ran: whether they took effect is not known. The same of a call whose record has
 * ended, and whose result did not follow.
 */
export async function markUnknownCalls(db: Db, at: number): Promise<number> {
  const { numUpdatedRows } = await toKysely(db)
    .updateTable("pending_calls")
    .set({ state: "unknown", ended_reason: "the hub stopped while it ran" })
    .where(isRunning)
    .where((one) =>
      one.or([
        one.not(
          one.exists(
            one
              .selectFrom("instances")
              .select("instances.id")
              .whereRef("instances.id", "=", "pending_calls.instance_id"),
          ),
        ),
        one.exists(
          one
            .selectFrom("connector_runs")
            .select("connector_runs.id")
            .whereRef("connector_runs.id", "=", "pending_calls.run_id")
            .where("connector_runs.ended_at", "<", at - finishMsMax),
        ),
      ]),
    )
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

type Now = {
  /** Has no entry among the users. */
  localUserId: string;
  at: number;
};

/** Ends what waits and may not run any more, and the permits of such calls. */
export function endForbiddenCalls(db: Db, now: Now): Promise<number> {
  return transaction(db, async (trx) => {
    await endForbiddenPermits(trx, now);
    return await endForbidden(trx, now);
  });
}

/** Also if the right comes back within the hour: it is another right, of which no person was asked. */
async function endForbiddenPermits(trx: Transaction, now: Now): Promise<void> {
  await toKysely(trx)
    .updateTable("call_permits")
    .set({ ended_at: now.at })
    .where("expires_at", ">", now.at)
    .where("ended_at", "is", null)
    .where((one) => one.or(toReasons("call_permits", now).map(([, condition]) => condition)))
    .execute();
}

/** Ends what waits, of all calls or of one, in a transaction. Returns how many have ended. */
export async function endForbidden(
  trx: Transaction,
  { id, ...now }: Now & { id?: string },
): Promise<number> {
  let ended = 0;
  for (const [reason, condition] of toReasons("pending_calls", now)) {
    let update = toKysely(trx)
      .updateTable("pending_calls")
      .set({ state: "ended", ended_reason: reason })
      .where(isWaiting)
      .where(condition);
    if (id !== undefined) update = update.where("id", "=", id);
    const { numUpdatedRows } = await update.executeTakeFirst();
    ended += Number(numUpdatedRows);
  }
  return ended;
}

/** Ends all that waits for a user, and what is permitted, in the transaction that takes the right. */
export async function endPendingCallsOf(
  trx: Transaction,
  { userId, reason, at }: { userId: string; reason: string; at: number },
): Promise<void> {
  await toKysely(trx)
    .updateTable("call_permits")
    .set({ ended_at: at })
    .where("user_id", "=", userId)
    .where("ended_at", "is", null)
    .execute();
  await toKysely(trx)
    .updateTable("pending_calls")
    .set({ state: "ended", ended_reason: reason })
    .where(isWaiting)
    .where("user_id", "=", userId)
    .execute();
}

/** Why a call, or what is permitted, may not run any more. */
function toReasons(table: OwnedTable, { localUserId, at }: Now) {
  const userId = sql.ref(`${table}.user_id`);
  const rowId = sql.ref(`${table}.row_id`);
  const operationKey = sql.ref(`${table}.operation_key`);
  const isHidden = sql<boolean>`(${userId} <> ${localUserId} and not exists (
    select 1 from users where users.id = ${userId} and ${sql.raw(effectiveRole)} = 'admin')
    and not exists (
      select 1 from row_tags rt join tags t on t.id = rt.tag_id
      where rt.row_id = ${rowId} and (t.name = 'everyone' or exists (
        select 1 from user_tags join users on users.id = user_tags.user_id
        where user_tags.tag_id = t.id and user_tags.user_id = ${userId}
        and ${sql.raw(isEffectiveTag)}))))`;
  return [
    [
      "the user was disabled",
      sql<boolean>`(${userId} <> ${localUserId} and not exists (
        select 1 from users where users.id = ${userId}
        and ${sql.raw(effectiveStatus)} = 'active'))`,
    ],
    ["the token was revoked or has expired", hasLostToken(at, table)],
    ["the access of the application has ended", hasLostGrant(at, table)],
    [
      "the row was deleted or disabled",
      sql<boolean>`not exists (
        select 1 from connector_rows r where r.id = ${rowId} and r.disabled = 0)`,
    ],
    [
      "the operation was disabled",
      sql<boolean>`exists (
        select 1 from operation_states s where s.row_id = ${rowId}
        and s.operation_key = ${operationKey} and s.enabled = 0)`,
    ],
    ["the user does not see the row any more", isHidden],
  ] as const;
}

/** Deletes results and requests that answer nothing any more, and permits that have ended. */
export async function purgePendingParts(
  db: Db,
  { at, resultMs }: { at: number; resultMs: number },
): Promise<void> {
  const kysely = toKysely(db);
  await kysely
    .updateTable("pending_calls")
    .set({ result: null, sealed: new Uint8Array() })
    .where("state", "not in", ["open", "approved", "running"])
    .where("expires_at", "<", at - resultMs)
    .where((one) => one.or([one("result_at", "is", null), one("result_at", "<", at - resultMs)]))
    .where((one) => one.or([one("result", "is not", null), sql<boolean>`length(sealed) > 0`]))
    .execute();
  await kysely
    .deleteFrom("call_permits")
    .where("expires_at", "<", at - resultMs)
    .execute();
}

/** Deletes calls whose `keep_until` is over. Returns how many: if it is the limit, more may be left. */
export async function purgePendingCalls(
  db: Db,
  { at, limit }: { at: number; limit: number },
): Promise<number> {
  const kysely = toKysely(db);
  const old = await kysely
    .selectFrom("pending_calls")
    .select("id")
    .where("keep_until", "<", at)
    .where("state", "<>", "running")
    .limit(limit)
    .execute();
  const ids = old.map(({ id }) => id);
  if (ids.length > 0) await kysely.deleteFrom("pending_calls").where("id", "in", ids).execute();
  return ids.length;
}
