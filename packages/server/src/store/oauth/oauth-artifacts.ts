import { sql } from "kysely";
import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { tableColumns } from "../database/table-columns.ts";

/** A stored code, refresh token or pending consent. */
export type OAuthArtifact = {
  idHash: Uint8Array;
  model: string;
  grantId: string | null;
  sealed: Uint8Array;
  expiresAt: number;
  consumedAt: number | null;
};

export type NewOAuthArtifact = Omit<OAuthArtifact, "consumedAt">;

/** False if its grant has ended meanwhile: then nothing is stored. */
export async function putOAuthArtifact(db: Db, artifact: NewOAuthArtifact): Promise<boolean> {
  const { idHash, model, grantId, sealed, expiresAt } = artifact;
  // One statement: a grant that is revoked at the same time either prevents or deletes the
  // artifact.
  const insert = () =>
    sql`
    insert into oauth_artifacts (id_hash, model, grant_id, sealed, expires_at)
    select ${idHash}, ${model}, ${grantId}, ${sealed}, ${expiresAt}
    where cast(${grantId} as text) is null or exists (select 1 from oauth_grants where id = ${grantId})
    on conflict (id_hash) do update set sealed = excluded.sealed, expires_at = excluded.expires_at
    returning model`.execute(toKysely(db));
  // It fails if the grant ends at the same moment. Then the grant is gone.
  const made = await insert().catch(insert);
  return made.rows.length > 0;
}

export async function findOAuthArtifact(
  db: Db,
  model: string,
  idHash: Uint8Array,
): Promise<OAuthArtifact | null> {
  const found = await toKysely(db)
    .selectFrom("oauth_artifacts")
    .select(tableColumns.oauth_artifacts)
    .where("id_hash", "=", idHash)
    .where("model", "=", model)
    .executeTakeFirst();
  if (found === undefined) return null;
  return {
    idHash: found.id_hash,
    model: found.model,
    grantId: found.grant_id,
    sealed: found.sealed,
    expiresAt: found.expires_at,
    consumedAt: found.consumed_at,
  };
}

/**
 * Deletes the oldest pending consents above `kept`, of those that expire until `expiresUntil`. Strangers begin
 * consents, and each is kept until it expires.
 */
export async function trimPendingConsents(
  db: Db,
  { kept, expiresUntil }: { kept: number; expiresUntil: number },
): Promise<void> {
  await toKysely(db)
    .deleteFrom("oauth_artifacts")
    .where("id_hash", "in", (artifacts) =>
      artifacts
        .selectFrom("oauth_artifacts")
        .select("id_hash")
        .where("model", "=", "Interaction")
        // Refresh tokens expire much later, so the index finds the consents.
        .where("expires_at", "<=", expiresUntil)
        .orderBy("expires_at", "desc")
        .offset(kept)
        .limit(1_000),
    )
    .execute();
}

/** Deletes the used refresh tokens of a grant, except for the last `kept`. */
export async function trimUsedRefreshTokens(
  db: Db,
  { grantId, kept }: { grantId: string; kept: number },
): Promise<void> {
  await toKysely(db)
    .deleteFrom("oauth_artifacts")
    .where("id_hash", "in", (artifacts) =>
      artifacts
        .selectFrom("oauth_artifacts")
        .select("id_hash")
        .where("grant_id", "=", grantId)
        .where("model", "=", "RefreshToken")
        .where("consumed_at", "is not", null)
        .orderBy("consumed_at", "desc")
        .orderBy("expires_at", "desc")
        .offset(kept)
        .limit(1_000),
    )
    .execute();
}

/** True only for the first caller, across all processes. */
export async function consumeOAuthArtifact(
  db: Db,
  idHash: Uint8Array,
  now: number,
): Promise<boolean> {
  const { numUpdatedRows } = await toKysely(db)
    .updateTable("oauth_artifacts")
    .set({ consumed_at: now })
    .where("id_hash", "=", idHash)
    .where("consumed_at", "is", null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** False if it was deleted before, so that only one of two callers gets true. */
export async function deleteOAuthArtifact(db: Db, idHash: Uint8Array): Promise<boolean> {
  const { numDeletedRows } = await toKysely(db)
    .deleteFrom("oauth_artifacts")
    .where("id_hash", "=", idHash)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function deleteOAuthArtifactsOf(
  db: Db,
  model: string,
  grantId: string,
): Promise<void> {
  await toKysely(db)
    .deleteFrom("oauth_artifacts")
    .where("grant_id", "=", grantId)
    .where("model", "=", model)
    .execute();
}

/**
 * Deletes expired codes, refresh tokens, consents and access tokens, and grants with all of theirs.
 */
export async function purgeExpiredOAuth(db: Db, now: number): Promise<void> {
  await toKysely(db).deleteFrom("oauth_access_tokens").where("expires_at", "<=", now).execute();
  await toKysely(db).deleteFrom("oauth_artifacts").where("expires_at", "<=", now).execute();
  await toKysely(db).deleteFrom("oauth_grants").where("expires_at", "<=", now).execute();
}
