import type { Selectable } from "kysely";
import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { tableColumns } from "../database/table-columns.ts";
import type { PendingTables } from "../database/tables/pending-tables.ts";

/** A permission for an operation, a principal and an account, for an hour. */
export type CallPermit = {
  id: string;
  userId: string;
  principal: string;
  principalName: string;
  rowId: string;
  operationKey: string;
  /** The id of the account; empty for the access of the row. */
  account: string;
  ruleId: string;
  ruleRevision: number;
  basis: string;
  /** The digests of the params that must stay as they were approved, by name: see `digestFixed`. */
  fixed: Record<string, string>;
  createdAt: number;
  expiresAt: number;
  grantedBy: string;
  grantedByEmail: string;
  endedAt: number | null;
  callId: string;
};

export async function insertPermit(db: Db, permit: CallPermit): Promise<void> {
  await toKysely(db)
    .insertInto("call_permits")
    .values({
      id: permit.id,
      user_id: permit.userId,
      principal: permit.principal,
      principal_name: permit.principalName,
      row_id: permit.rowId,
      operation_key: permit.operationKey,
      account: permit.account,
      rule_id: permit.ruleId,
      rule_revision: permit.ruleRevision,
      basis: permit.basis,
      fixed: JSON.stringify(permit.fixed),
      created_at: permit.createdAt,
      expires_at: permit.expiresAt,
      granted_by: permit.grantedBy,
      granted_by_email: permit.grantedByEmail,
      ended_at: permit.endedAt,
      call_id: permit.callId,
    })
    .execute();
}

type PermitQuestion = Pick<
  CallPermit,
  "userId" | "principal" | "rowId" | "operationKey" | "account" | "basis"
> & { at: number };

const permitsMax = 20;

/** The permits that are in force for a call, but for their fixed params. */
export async function listLivePermits(db: Db, asked: PermitQuestion): Promise<CallPermit[]> {
  const found = await toKysely(db)
    .selectFrom("call_permits")
    .select(tableColumns.call_permits)
    .where("user_id", "=", asked.userId)
    .where("principal", "=", asked.principal)
    .where("row_id", "=", asked.rowId)
    .where("operation_key", "=", asked.operationKey)
    .where("account", "=", asked.account)
    .where("basis", "=", asked.basis)
    .where("expires_at", ">", asked.at)
    .where("ended_at", "is", null)
    .limit(permitsMax)
    .execute();
  return found.map(toPermit);
}

export function toPermit(row: Selectable<PendingTables["call_permits"]>): CallPermit {
  return {
    id: row.id,
    userId: row.user_id,
    principal: row.principal,
    principalName: row.principal_name,
    rowId: row.row_id,
    operationKey: row.operation_key,
    account: row.account,
    ruleId: row.rule_id,
    ruleRevision: row.rule_revision,
    basis: row.basis,
    fixed: JSON.parse(row.fixed),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    grantedBy: row.granted_by,
    grantedByEmail: row.granted_by_email,
    endedAt: row.ended_at,
    callId: row.call_id,
  };
}

/** Null if it does not exist. */
export async function findPermit(db: Db, id: string): Promise<CallPermit | null> {
  const found = await toKysely(db)
    .selectFrom("call_permits")
    .select(tableColumns.call_permits)
    .where("id", "=", id)
    .executeTakeFirst();
  return found === undefined ? null : toPermit(found);
}

/** The permits that are in force, of these users or of all, in the order of their ids. */
export async function listPermitPage(
  db: Db,
  { userIds, at, after, limit }: { userIds?: string[]; at: number; after?: string; limit: number },
): Promise<CallPermit[]> {
  let query = toKysely(db)
    .selectFrom("call_permits")
    .select(tableColumns.call_permits)
    .where("expires_at", ">", at)
    .where("ended_at", "is", null)
    .orderBy("id")
    .limit(limit);
  if (userIds !== undefined) query = query.where("user_id", "in", userIds);
  if (after !== undefined) query = query.where("id", ">", after);
  return (await query.execute()).map(toPermit);
}

/** False if it had ended. */
export async function endPermit(db: Db, { id, at }: { id: string; at: number }): Promise<boolean> {
  const { numUpdatedRows } = await toKysely(db)
    .updateTable("call_permits")
    .set({ ended_at: at })
    .where("id", "=", id)
    .where("ended_at", "is", null)
    .where("expires_at", ">", at)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
