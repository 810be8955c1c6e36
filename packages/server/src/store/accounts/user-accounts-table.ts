import type { Selectable } from "kysely";
import { z } from "zod";
import type { Db, Transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { tableColumns } from "../database/table-columns.ts";
import type { Tables } from "../database/tables.ts";

/** Whose accounts: those of one user in one row. */
export type AccountOwner = { userId: string; rowId: string };

/** An account of a user in a row. Times are epoch ms. */
export type UserAccount = AccountOwner & {
  id: string;
  /** Unique among the accounts of the user in the row. */
  label: string;
  /** Typed by its user, or got by a sign-in elsewhere. */
  kind: "token" | "oauth";
  /** For the location of `toAccountLocation`. */
  sealed: Uint8Array;
  /** A random id of what is sealed now. */
  tokensId: string;
  /** The addresses of the row that its user was shown. */
  hosts: readonly string[];
  /** Who published the row's connector then. */
  publisher: string;
  /** Who it is outside, if that is known. */
  identity: string | null;
  scope: string | null;
  connectedAt: number;
  usedAt: number | null;
  expiresAt: number | null;
  /** Why it no longer works. Null while it does. */
  lost: { reason: string; at: number } | null;
};

/** The accounts of a user in a row, oldest first, and whether there has ever been one. */
export type OwnAccounts = { accounts: UserAccount[]; hadOne: boolean };

const hostsSchema = z.array(z.string());
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
      renew_at: null,
      refresh_id: null,
      refresh_until: null,
      lost_reason: null,
      lost_at: null,
      ...toSecretColumns(account),
    })
    .execute();
}

/** What a new connection of an account replaces. */
export type AccountSecret = Pick<
  UserAccount,
  "sealed" | "tokensId" | "hosts" | "publisher" | "scope" | "expiresAt"
>;

/** Connects an account again. False if it has been removed. */
export async function replaceAccountSecret(
  trx: Transaction,
  { userId, id }: Pick<UserAccount, "userId" | "id">,
  secret: AccountSecret,
): Promise<boolean> {
  const { numUpdatedRows } = await toKysely(trx)
    .updateTable("user_accounts")
    .set({ ...toSecretColumns(secret), lost_reason: null, lost_at: null })
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
      id: crypto.randomUUID(),
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

function toSecretColumns({ sealed, tokensId, hosts, publisher, scope, expiresAt }: AccountSecret) {
  const bound = { hosts: JSON.stringify(hosts), publisher };
  return { sealed, tokens_id: tokensId, ...bound, scope, expires_at: expiresAt };
}

function toUserAccount(stored: Selectable<Tables["user_accounts"]>): UserAccount[] {
  const { kind, lost_at: lostAt, lost_reason: reason } = stored;
  if (kind === "removed") return [];
  return [
    {
      id: stored.id,
      userId: stored.user_id,
      rowId: stored.row_id,
      label: stored.label,
      kind,
      sealed: stored.sealed,
      tokensId: stored.tokens_id,
      hosts: hostsSchema.parse(JSON.parse(stored.hosts)),
      publisher: stored.publisher,
      identity: stored.identity,
      scope: stored.scope,
      connectedAt: stored.connected_at,
      usedAt: stored.used_at,
      expiresAt: stored.expires_at,
      lost: lostAt === null ? null : { reason: reason ?? "", at: lostAt },
    },
  ];
}
