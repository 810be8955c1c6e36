import type { Db, Transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { tableColumns } from "../database/table-columns.ts";
import {
  type AccountOwner,
  type AccountSecret,
  toSecretColumns,
  toUserAccount,
  type UserAccount,
} from "./user-account.ts";

/** The accounts of a user in a row, oldest first, and whether there has ever been one. */
export type OwnAccounts = { accounts: UserAccount[]; hadOne: boolean };

/** No account has this label: they are not empty. */
const removedLabel = "";

export async function readOwnAccounts(db: Db, owner: AccountOwner): Promise<OwnAccounts> {
  const stored = await toKysely(db)
    .selectFrom("user_accounts")
    .select(tableColumns.user_accounts)
    .where("user_id", "=", owner.userId)
    .where("row_id", "=", owner.rowId)
    .orderBy("connected_at")
    .orderBy("id")
    .execute();
  return { accounts: stored.flatMap(toUserAccount), hadOne: stored.length > 0 };
}

/** All accounts of a user, oldest first. */
export async function listUserAccounts(db: Db, userId: string): Promise<UserAccount[]> {
  const stored = await toKysely(db)
    .selectFrom("user_accounts")
    .select(tableColumns.user_accounts)
    .where("user_id", "=", userId)
    .orderBy("connected_at")
    .orderBy("id")
    .execute();
  return stored.flatMap(toUserAccount);
}

/** The labels of a user's accounts by the id of their row, oldest account first. */
export async function listAccountLabels(db: Db, userId: string): Promise<Map<string, string[]>> {
  const stored = await toKysely(db)
    .selectFrom("user_accounts")
    .select(["row_id", "label"])
    .where("user_id", "=", userId)
    .where("kind", "<>", "removed")
    .orderBy("connected_at")
    .orderBy("id")
    .execute();
  const labels = new Map<string, string[]>();
  for (const { row_id: rowId, label } of stored) {
    labels.set(rowId, [...(labels.get(rowId) ?? []), label]);
  }
  return labels;
}

/** Null if the user has no such account: the accounts of others are not found. */
export async function findUserAccount(
  db: Db,
  { userId, id }: Pick<UserAccount, "userId" | "id">,
): Promise<UserAccount | null> {
  const stored = await toKysely(db)
    .selectFrom("user_accounts")
    .select(tableColumns.user_accounts)
    .where("user_id", "=", userId)
    .where("id", "=", id)
    .executeTakeFirst();
  return stored === undefined ? null : (toUserAccount(stored)[0] ?? null);
}

/** The id of the user whose account it is. Null if it does not exist. */
export async function findAccountUser(db: Db, id: string): Promise<string | null> {
  const stored = await toKysely(db)
    .selectFrom("user_accounts")
    .select("user_id")
    .where("id", "=", id)
    .where("kind", "<>", "removed")
    .executeTakeFirst();
  return stored?.user_id ?? null;
}

/** The user and the row exist, and the label is free. */
export async function insertUserAccount(
  trx: Transaction,
  account: Omit<UserAccount, "lost" | "usedAt">,
): Promise<void> {
  await toKysely(trx)
    .insertInto("user_accounts")
    .values({
      id: account.id,
      user_id: account.userId,
      row_id: account.rowId,
      label: account.label,
      kind: account.kind,
      identity: account.identity,
      connected_at: account.connectedAt,
      used_at: null,
      refresh_id: null,
      refresh_until: null,
      lost_reason: null,
      lost_at: null,
      ...toSecretColumns(account),
    })
    .execute();
}

/** Connects an account again. False if it has been removed. */
export async function replaceAccountSecret(
  trx: Transaction,
  { userId, id }: Pick<UserAccount, "userId" | "id">,
  secret: AccountSecret & Partial<Pick<UserAccount, "kind" | "identity" | "connectedAt">>,
): Promise<boolean> {
  const { kind, identity, connectedAt } = secret;
  const { numUpdatedRows } = await toKysely(trx)
    .updateTable("user_accounts")
    .set({ ...toSecretColumns(secret), lost_reason: null, lost_at: null })
    .set({ kind, identity, connected_at: connectedAt })
    .set({ refresh_id: null, refresh_until: null })
    .where("user_id", "=", userId)
    .where("id", "=", id)
    .where("kind", "<>", "removed")
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function renameUserAccount(
  trx: Transaction,
  { userId, id, label }: Pick<UserAccount, "userId" | "id" | "label">,
): Promise<void> {
  await toKysely(trx)
    .updateTable("user_accounts")
    .set({ label })
    .where("user_id", "=", userId)
    .where("id", "=", id)
    .execute();
}

/** Removes an account. Without another, the row remembers that its user had one. */
export async function removeUserAccount(
  trx: Transaction,
  { id, userId, rowId }: Pick<UserAccount, "id" | "userId" | "rowId">,
  at: number,
): Promise<void> {
  await toKysely(trx)
    .deleteFrom("user_accounts")
    .where("user_id", "=", userId)
    .where("id", "=", id)
    .execute();
  await toKysely(trx)
    .insertInto("user_accounts")
    .values({
      // The id of the removed account is free.
      id,
      user_id: userId,
      row_id: rowId,
      label: removedLabel,
      kind: "removed",
      sealed: new Uint8Array(),
      tokens_id: "",
      hosts: "[]",
      publisher: "",
      identity: null,
      scope: null,
      connected_at: at,
      used_at: null,
      expires_at: null,
      renew_at: null,
      refresh_id: null,
      refresh_until: null,
      lost_reason: null,
      lost_at: null,
    })
    .onConflict((conflict) => conflict.columns(["user_id", "row_id", "label"]).doNothing())
    .execute();
}

/** Stores when an account was last used, unless that was stored after `before`. */
export async function touchUserAccount(
  db: Db,
  id: string,
  { at, before }: { at: number; before: number },
): Promise<void> {
  await toKysely(db)
    .updateTable("user_accounts")
    .set({ used_at: at })
    .where("id", "=", id)
    .where((one) => one.or([one("used_at", "is", null), one("used_at", "<=", before)]))
    .execute();
}

/** Records that what is sealed works no longer. Once, for the tokens that failed. */
export async function loseUserAccount(
  db: Db,
  { id, tokensId }: Pick<UserAccount, "id" | "tokensId">,
  { reason, at }: NonNullable<UserAccount["lost"]>,
): Promise<void> {
  await toKysely(db)
    .updateTable("user_accounts")
    .set({ lost_reason: reason, lost_at: at, refresh_id: null, refresh_until: null })
    .where("id", "=", id)
    .where("tokens_id", "=", tokensId)
    .execute();
}

/** How many users have connected an account in a row. */
export async function countAccountUsers(db: Db, rowId: string): Promise<number> {
  const { users } = await toKysely(db)
    .selectFrom("user_accounts")
    .select((account) => account.fn.count<number>("user_id").distinct().as("users"))
    .where("row_id", "=", rowId)
    .where("kind", "<>", "removed")
    .executeTakeFirstOrThrow();
  return Number(users);
}
