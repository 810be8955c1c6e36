import { sql } from "kysely";
import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { tableColumns } from "../database/table-columns.ts";

export type OAuthAccessToken = {
  /** SHA-256 of the token; the token itself is never stored. */
  tokenHash: Uint8Array;
  grantId: string;
  userId: string;
  clientId: string;
  scope: string;
  /** The resource: the URL of the MCP endpoint. */
  resource: string;
  createdAt: number;
  expiresAt: number;
};

/** False if its grant has ended meanwhile: then nothing is stored. */
export async function insertOAuthAccessToken(db: Db, token: OAuthAccessToken): Promise<boolean> {
  const insert = () =>
    sql`
    insert into oauth_access_tokens
      (token_hash, grant_id, user_id, client_id, scope, resource, created_at, expires_at, bounds)
    select ${token.tokenHash}, id, user_id, ${token.clientId}, ${token.scope}, ${token.resource},
      ${token.createdAt}, ${token.expiresAt}, bounds
    from oauth_grants where id = ${token.grantId} and user_id = ${token.userId}
    returning grant_id`.execute(toKysely(db));
  // It fails if the grant ends at the same moment. Then the grant is gone.
  const made = await insert().catch(insert);
  return made.rows.length > 0;
}

export async function findOAuthAccessToken(
  db: Db,
  tokenHash: Uint8Array,
): Promise<OAuthAccessToken | null> {
  const token = await toKysely(db)
    .selectFrom("oauth_access_tokens")
    .select(tableColumns.oauth_access_tokens)
    .where("token_hash", "=", tokenHash)
    .executeTakeFirst();
  if (token === undefined) return null;
  return {
    tokenHash: token.token_hash,
    grantId: token.grant_id,
    userId: token.user_id,
    clientId: token.client_id,
    scope: token.scope,
    resource: token.resource,
    createdAt: token.created_at,
    expiresAt: token.expires_at,
  };
}

export async function deleteOAuthAccessToken(db: Db, tokenHash: Uint8Array): Promise<void> {
  await toKysely(db)
    .deleteFrom("oauth_access_tokens")
    .where("token_hash", "=", tokenHash)
    .execute();
}

/** Deletes the oldest access tokens of a grant above `kept`. */
export async function trimOAuthAccessTokens(
  db: Db,
  { grantId, kept }: { grantId: string; kept: number },
): Promise<void> {
  await toKysely(db)
    .deleteFrom("oauth_access_tokens")
    .where("token_hash", "in", (tokens) =>
      tokens
        .selectFrom("oauth_access_tokens")
        .select("token_hash")
        .where("grant_id", "=", grantId)
        .orderBy("expires_at", "desc")
        .orderBy("created_at", "desc")
        .offset(kept)
        .limit(1_000),
    )
    .execute();
}

export async function deleteOAuthAccessTokensOf(db: Db, grantId: string): Promise<void> {
  await toKysely(db).deleteFrom("oauth_access_tokens").where("grant_id", "=", grantId).execute();
}
