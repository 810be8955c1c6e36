import { sql } from "kysely";
import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import type { PendingCall } from "./pending-call-record.ts";

export type RunnableCall = Pick<PendingCall, "id" | "userId" | "principal" | "origin"> & {
  approvedUntil: number;
};

/**
 * The approved calls that run without a repeat: the rule says so, or a task waits for them. Oldest approval first, without
 * those whose token or application has no access any more.
 */
export async function listRunnableCalls(
  db: Db,
  { at, limit }: { at: number; limit: number },
): Promise<RunnableCall[]> {
  const found = await toKysely(db)
    .selectFrom("pending_calls")
    .select(["id", "user_id as userId", "principal", "origin", "approved_until"])
    // Literals, and the condition of the index as it is: SQLite uses no partial index for others.
    .where(sql<boolean>`state in ('open', 'approved')`)
    .where(sql<boolean>`state = 'approved'`)
    .where("approved_until", ">", at)
    .where((one) => one.or([one("runs_by_itself", "=", 1), one("task", ">", 0)]))
    .where((one) => one.not(hasLostToken(at)))
    .where((one) => one.not(hasLostGrant(at)))
    .orderBy("decided_at")
    .limit(limit)
    .execute();
  return found.map(({ origin, approved_until: until, ...call }) => ({
    ...call,
    origin: JSON.parse(origin),
    approvedUntil: until ?? 0,
  }));
}

/** Whether the token or the application that made a call still has access. False if the call does not exist. */
export async function hasLivePrincipal(
  db: Db,
  { id, at }: { id: string; at: number },
): Promise<boolean> {
  const found = await toKysely(db)
    .selectFrom("pending_calls")
    .select("id")
    .where("id", "=", id)
    .where((one) => one.not(hasLostToken(at)))
    .where((one) => one.not(hasLostGrant(at)))
    .executeTakeFirst();
  return found !== undefined;
}

/** Calls and permits belong to a principal. */
export type OwnedTable = "pending_calls" | "call_permits";

/** Of calls and permits of tokens: whether the token was revoked, or has expired. */
export function hasLostToken(at: number, table: OwnedTable = "pending_calls") {
  const principal = sql.ref(`${table}.principal`);
  return sql<boolean>`(${principal} like 'token:%' and not exists (
    select 1 from personal_access_tokens p
    where p.id = substr(${principal}, 7) and p.revoked_at is null
    and (p.expires_at is null or p.expires_at > ${at})))`;
}

/** Of calls and permits of applications: whether their access has ended. */
export function hasLostGrant(at: number, table: OwnedTable = "pending_calls") {
  const principal = sql.ref(`${table}.principal`);
  return sql<boolean>`(${principal} like 'grant:%' and not exists (
    select 1 from oauth_grants g
    where g.id = substr(${principal}, 7) and g.expires_at > ${at}))`;
}
