import type { Db, Transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { putEnding } from "./account-endings.ts";

/** Names the tokens of an account that a refresh replaces, and the refresh. */
export type AccountRefresh = { accountId: string; tokensId: string; refreshId: string };

/** The user and the row of the account, for which its tokens are sealed. */
type Owned = AccountRefresh & { userId: string; rowId: string };

/** The tokens of an account that its user got by a sign-in. Times are epoch ms. */
export type AccountTokens = {
  id: string;
  userId: string;
  rowId: string;
  /** A random id. Each refresh has a new one. */
  tokensId: string;
  sealed: Uint8Array;
  scope: string;
  connectedAt: number;
  expiresAt: number | null;
  /** When they are refreshed. Null if they cannot be, or if their end is not known. */
  renewAt: number | null;
  lost: { reason: string; at: number } | null;
};

/** Null if the account was removed, or is not one of a sign-in. */
export async function findAccountTokens(
  db: Db,
  { id, userId }: Pick<AccountTokens, "id" | "userId">,
): Promise<AccountTokens | null> {
  const found = await toKysely(db)
    .selectFrom("user_accounts")
    .select([
      "row_id",
      "tokens_id",
      "sealed",
      "scope",
      "connected_at",
      "expires_at",
      "renew_at",
      "lost_at",
      "lost_reason",
    ])
    .where("id", "=", id)
    .where("user_id", "=", userId)
    .where("kind", "=", "oauth")
    .executeTakeFirst();
  if (found === undefined) return null;
  return {
    id,
    userId,
    rowId: found.row_id,
    tokensId: found.tokens_id,
    sealed: found.sealed,
    scope: found.scope ?? "",
    connectedAt: found.connected_at,
    expiresAt: found.expires_at,
    renewAt: found.renew_at,
    lost: found.lost_at === null ? null : { reason: found.lost_reason ?? "", at: found.lost_at },
  };
}

/**
 * Takes the right to refresh these tokens until then. False if they are no longer the account's, or another server has the
 * right. True again after its time: the server that had it has died.
 */
export async function claimAccountRefresh(
  db: Db,
  { accountId, tokensId, refreshId }: AccountRefresh,
  { now, until }: { now: number; until: number },
): Promise<boolean> {
  const { numUpdatedRows } = await toKysely(db)
    .updateTable("user_accounts")
    .set({ refresh_id: refreshId, refresh_until: until })
    .where("id", "=", accountId)
    .where("tokens_id", "=", tokensId)
    .where("lost_at", "is", null)
    .where((account) =>
      account.or([account("refresh_id", "is", null), account("refresh_until", "<", now)]),
    )
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Gives the right back after a failure that another try may not have. */
export async function releaseAccountRefresh(
  db: Db,
  { accountId, refreshId }: AccountRefresh,
): Promise<void> {
  await toKysely(db)
    .updateTable("user_accounts")
    .set({ refresh_id: null, refresh_until: null })
    .where("id", "=", accountId)
    .where("refresh_id", "=", refreshId)
    .execute();
}

/**
 * Replaces the tokens of a refresh. False if others have replaced them, or the account was removed. A refresh that lost its
 * right still stores them: the authorization server has ended the former ones.
 */
export async function putAccountTokens(
  trx: Transaction,
  { accountId, tokensId, userId, rowId }: Owned,
  tokens: Pick<AccountTokens, "tokensId" | "sealed" | "scope" | "expiresAt" | "renewAt">,
  at: number,
): Promise<boolean> {
  const { numUpdatedRows } = await toKysely(trx)
    .updateTable("user_accounts")
    .set({
      tokens_id: tokens.tokensId,
      sealed: tokens.sealed,
      scope: tokens.scope,
      expires_at: tokens.expiresAt,
      renew_at: tokens.renewAt,
      refresh_id: null,
      refresh_until: null,
      lost_reason: null,
      lost_at: null,
    })
    .where("id", "=", accountId)
    .where("tokens_id", "=", tokensId)
    .where("kind", "=", "oauth")
    .executeTakeFirst();
  if (numUpdatedRows > 0n) return true;
  await keepForEnding(trx, { id: accountId, userId, rowId, sealed: tokens.sealed }, at);
  return false;
}

/**
 * The account was removed during the refresh: what is to be ended outside are the new tokens, also if the former ones have been
 * ended already.
 */
async function keepForEnding(
  trx: Transaction,
  { id, userId, rowId, sealed }: Pick<AccountTokens, "id" | "userId" | "rowId" | "sealed">,
  at: number,
): Promise<void> {
  const present = await toKysely(trx)
    .selectFrom("user_accounts")
    .select("id")
    .where("id", "=", id)
    .where("kind", "<>", "removed")
    .executeTakeFirst();
  if (present !== undefined) return;
  await putEnding(trx, { id, userId, rowId, sealed }, at);
}
