import { parseTokenBounds, type TokenBounds } from "../../lib/call-bounds.ts";
import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { tableColumns } from "../database/table-columns.ts";
import type { TokenScope } from "../database/tables/user-tables.ts";
import type { Tables } from "../database/tables.ts";
import { matchesToken, type TokenFilter } from "./token-filter.ts";
import { touchUses, type Use } from "./touch-uses.ts";

export type TokenRecord = {
  id: string;
  userId: string;
  name: string;
  lastFour: string;
  scope: TokenScope;
  createdAt: number;
  lastUsedAt: number | null;
  expiresAt: number | null;
  revokedAt: number | null;
  /** Null for a token without bounds. */
  bounds: TokenBounds | null;
};

export type NewToken = {
  id: string;
  userId: string;
  name: string;
  /** SHA-256 of the token; the token itself is never stored. */
  tokenHash: Uint8Array;
  lastFour: string;
  scope: TokenScope;
  createdAt: number;
  expiresAt: number | null;
  bounds?: TokenBounds | null;
};

export async function insertToken(db: Db, token: NewToken): Promise<TokenRecord> {
  return toToken(
    await toKysely(db)
      .insertInto("personal_access_tokens")
      .values({
        id: token.id,
        user_id: token.userId,
        name: token.name,
        token_hash: token.tokenHash,
        last_four: token.lastFour,
        scope: token.scope,
        created_at: token.createdAt,
        last_used_at: null,
        expires_at: token.expiresAt,
        revoked_at: null,
        bounds: token.bounds == null ? null : JSON.stringify(token.bounds),
      })
      .returning(tableColumns.personal_access_tokens)
      .executeTakeFirstOrThrow(),
  );
}

/** Oldest first, revoked ones too. */
export async function listTokens(db: Db, filter: { userId?: string } = {}): Promise<TokenRecord[]> {
  const { userId } = filter;
  const tokens = await toKysely(db)
    .selectFrom("personal_access_tokens")
    .select(tableColumns.personal_access_tokens)
    .$if(userId !== undefined, (query) => query.where("user_id", "=", userId ?? ""))
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return tokens.map(toToken);
}

export async function findToken(db: Db, id: string): Promise<TokenRecord | null> {
  const token = await toKysely(db)
    .selectFrom("personal_access_tokens")
    .select(tableColumns.personal_access_tokens)
    .where("id", "=", id)
    .executeTakeFirst();
  return token === undefined ? null : toToken(token);
}

export async function findTokenByHash(db: Db, tokenHash: Uint8Array): Promise<TokenRecord | null> {
  const token = await toKysely(db)
    .selectFrom("personal_access_tokens")
    .select(tableColumns.personal_access_tokens)
    .where("token_hash", "=", tokenHash)
    .executeTakeFirst();
  return token === undefined ? null : toToken(token);
}

/** One page of tokens, oldest first, revoked ones too. */
export async function listTokenPage(
  db: Db,
  filter: TokenFilter & {
    /** Only tokens after this one, in the order of creation. */
    after?: { createdAt: number; id: string } | undefined;
    limit: number;
  },
): Promise<TokenRecord[]> {
  const { after, limit } = filter;
  let query = toKysely(db)
    .selectFrom("personal_access_tokens")
    .select(tableColumns.personal_access_tokens)
    .where((token) => matchesToken(token, filter))
    .orderBy("created_at")
    .orderBy("id")
    .limit(limit);
  if (after !== undefined) {
    query = query.where((token) =>
      token.or([
        token("created_at", ">", after.createdAt),
        token.and([token("created_at", "=", after.createdAt), token("id", ">", after.id)]),
      ]),
    );
  }
  return (await query.execute()).map(toToken);
}

/** The number of the tokens that match. */
export async function countTokens(db: Db, filter: TokenFilter): Promise<number> {
  const { found } = await toKysely(db)
    .selectFrom("personal_access_tokens")
    .select((token) => token.fn.countAll<number>().as("found"))
    .where((token) => matchesToken(token, filter))
    .executeTakeFirstOrThrow();
  return Number(found);
}

/** The number of a user's active tokens. */
export async function countLiveTokens(
  db: Db,
  { userId, at }: { userId: string; at: number },
): Promise<number> {
  const { live } = await toKysely(db)
    .selectFrom("personal_access_tokens")
    .select((token) => token.fn.countAll<number>().as("live"))
    .where("user_id", "=", userId)
    .where("revoked_at", "is", null)
    .where((token) => token.or([token("expires_at", "is", null), token("expires_at", ">", at)]))
    .executeTakeFirstOrThrow();
  return Number(live);
}

/** Deletes a user's ended tokens except the `kept` newest. */
export async function trimEndedTokens(
  db: Db,
  { userId, at, kept }: { userId: string; at: number; kept: number },
): Promise<void> {
  const beyond = await toKysely(db)
    .selectFrom("personal_access_tokens")
    .select("id")
    .where("user_id", "=", userId)
    .where((token) =>
      token.or([token("revoked_at", "is not", null), token("expires_at", "<=", at)]),
    )
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .execute();
  const ids = beyond.slice(kept).map(({ id }) => id);
  // Usually one. A user from before this limit may have more than one statement can take.
  for (const id of ids) {
    await toKysely(db).deleteFrom("personal_access_tokens").where("id", "=", id).execute();
  }
}

/** False if the token does not exist or was revoked before. */
export async function revokeToken(db: Db, id: string, at: number): Promise<boolean> {
  const { numUpdatedRows } = await toKysely(db)
    .updateTable("personal_access_tokens")
    .set({ revoked_at: at })
    .where("id", "=", id)
    .where("revoked_at", "is", null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Sets the expiry of a token, epoch milliseconds. */
export async function expireToken(db: Db, id: string, expiresAt: number): Promise<void> {
  await toKysely(db)
    .updateTable("personal_access_tokens")
    .set({ expires_at: expiresAt })
    .where("id", "=", id)
    .execute();
}

/** Records when tokens were last used. Never overwrites a newer time. */
export function touchTokens(db: Db, uses: readonly Use[]): Promise<void> {
  return touchUses(db, "personal_access_tokens", uses);
}

function toToken(token: Tables["personal_access_tokens"]): TokenRecord {
  return {
    id: token.id,
    userId: token.user_id,
    name: token.name,
    lastFour: token.last_four,
    scope: token.scope,
    createdAt: token.created_at,
    lastUsedAt: token.last_used_at,
    expiresAt: token.expires_at,
    revokedAt: token.revoked_at,
    bounds: token.bounds === null ? null : parseTokenBounds(token.bounds),
  };
}
