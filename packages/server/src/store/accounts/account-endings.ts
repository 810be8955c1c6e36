import type { Db, Transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { tableColumns } from "../database/table-columns.ts";
import { listUserAccounts, removeUserAccount } from "./user-accounts-table.ts";

/** An account that was removed here, and is still to be ended where its user signed in. Times are epoch ms. */
export type AccountEnding = {
  /** Of the account. */
  id: string;
  userId: string;
  rowId: string;
  rowLabel: string;
  /** For the location of `toAccountLocation`. */
  sealed: Uint8Array;
  /** How often it was tried. */
  attempts: number;
  dueAt: number;
  /** Why the latest try failed. */
  failure: string | null;
  createdAt: number;
};

/** Which accounts end: one of a user, all of a user, or all in a row. */
type Ended = { id: string } | { userId: string } | { rowId: string };

/**
 * Records that sign-ins of users are to be ended outside, before their accounts are removed in the same transaction. What is sealed
 * is kept as it is, so no key is needed.
 */
export async function recordEndings(trx: Transaction, ended: Ended, at: number): Promise<void> {
  const accounts = await toKysely(trx)
    .selectFrom("user_accounts")
    .innerJoin("connector_rows", "connector_rows.id", "user_accounts.row_id")
    .select([
      "user_accounts.id as id",
      "user_accounts.user_id as user_id",
      "user_accounts.row_id as row_id",
      "connector_rows.label as row_label",
      "user_accounts.sealed as sealed",
    ])
    .where("user_accounts.kind", "=", "oauth")
    .$if("id" in ended, (query) =>
      query.where("user_accounts.id", "=", "id" in ended ? ended.id : ""),
    )
    .$if("userId" in ended, (query) =>
      query.where("user_accounts.user_id", "=", "userId" in ended ? ended.userId : ""),
    )
    .$if("rowId" in ended, (query) =>
      query.where("user_accounts.row_id", "=", "rowId" in ended ? ended.rowId : ""),
    )
    .execute();
  for (const account of accounts) {
    await toKysely(trx)
      .insertInto("account_endings")
      .values({ ...account, attempts: 0, due_at: at, failure: null, created_at: at })
      .onConflict((conflict) => conflict.column("id").doNothing())
      .execute();
  }
}

/** Records that these tokens are to be ended outside, in place of those that were recorded for the account before. */
export async function putEnding(
  trx: Transaction,
  { id, userId, rowId, sealed }: Pick<AccountEnding, "id" | "userId" | "rowId" | "sealed">,
  at: number,
): Promise<void> {
  const row = await toKysely(trx)
    .selectFrom("connector_rows")
    .select("label")
    .where("id", "=", rowId)
    .executeTakeFirst();
  const owner = { id, user_id: userId, row_id: rowId, row_label: row?.label ?? "" };
  await toKysely(trx)
    .insertInto("account_endings")
    .values({ ...owner, sealed, attempts: 0, due_at: at, failure: null, created_at: at })
    .onConflict((conflict) => conflict.column("id").doUpdateSet({ sealed, due_at: at }))
    .execute();
}

/**
 * Ends the sign-ins of a user who may no longer use the hub: they are removed here, and recorded as to be ended outside. Accounts with
 * values that the user typed stay, because nothing outside can end them.
 */
export async function endUserSignIns(trx: Transaction, userId: string, at: number): Promise<void> {
  await recordEndings(trx, { userId }, at);
  for (const account of await listUserAccounts(trx, userId)) {
    if (account.kind === "oauth") await removeUserAccount(trx, account, at);
  }
}

/**
 * Takes the ending that is due first, and sets its next time, so that only one server tries it. Null if none is due, or another
 * server took it.
 */
export async function claimDueEnding(
  db: Db,
  { now, toDueAt }: { now: number; toDueAt: (attempts: number) => number },
): Promise<AccountEnding | null> {
  const due = await toKysely(db)
    .selectFrom("account_endings")
    .select(tableColumns.account_endings)
    .where("due_at", "<=", now)
    .orderBy("due_at")
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
  if (due === undefined) return null;
  const attempts = due.attempts + 1;
  const { numUpdatedRows } = await toKysely(db)
    .updateTable("account_endings")
    .set({ attempts, due_at: toDueAt(attempts) })
    .where("id", "=", due.id)
    .where("attempts", "=", due.attempts)
    .executeTakeFirst();
  return numUpdatedRows > 0n ? toEnding({ ...due, attempts }) : null;
}

/** Stores refreshed tokens before they are used to end the account. */
export async function replaceEndingSecret(
  db: Db,
  { id, from, to }: { id: string; from: Uint8Array; to: Uint8Array },
): Promise<void> {
  await toKysely(db)
    .updateTable("account_endings")
    .set({ sealed: to })
    .where("id", "=", id)
    .where("sealed", "=", from)
    .execute();
}

export async function failEnding(db: Db, id: string, failure: string): Promise<void> {
  await toKysely(db).updateTable("account_endings").set({ failure }).where("id", "=", id).execute();
}

export async function removeEnding(db: Db, id: string): Promise<void> {
  await toKysely(db).deleteFrom("account_endings").where("id", "=", id).execute();
}

/** Oldest first; of one user, or of all. */
export async function listEndings(db: Db, userId: string | null): Promise<AccountEnding[]> {
  const found = await toKysely(db)
    .selectFrom("account_endings")
    .select(tableColumns.account_endings)
    .$if(userId !== null, (query) => query.where("user_id", "=", userId ?? ""))
    .orderBy("created_at")
    .orderBy("id")
    .limit(listedMax)
    .execute();
  return found.map(toEnding);
}

const listedMax = 200;

function toEnding(stored: {
  id: string;
  user_id: string;
  row_id: string;
  row_label: string;
  sealed: Uint8Array;
  attempts: number;
  due_at: number;
  failure: string | null;
  created_at: number;
}): AccountEnding {
  const { id, sealed, attempts, failure } = stored;
  return {
    id,
    userId: stored.user_id,
    rowId: stored.row_id,
    rowLabel: stored.row_label,
    sealed,
    attempts,
    dueAt: stored.due_at,
    failure,
    createdAt: stored.created_at,
  };
}
