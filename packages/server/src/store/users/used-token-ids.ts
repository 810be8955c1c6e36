import { createHash } from "node:crypto";
import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";

/**
 * Takes the id of a token from outside, which may be used once on all servers. False if it was used before. `expiresAt` is when
 * the token is refused anyway, epoch ms.
 */
export async function useTokenId(
  db: Db,
  token: { issuer: string; id: string; expiresAt: number },
): Promise<boolean> {
  // The length keeps apart what would be equal when joined.
  const text = `${token.issuer.length}:${token.issuer}${token.id}`;
  const hash = new Uint8Array(createHash("sha256").update(text).digest());
  const { numInsertedOrUpdatedRows } = await toKysely(db)
    .insertInto("used_token_ids")
    .values({ hash, expires_at: token.expiresAt })
    .onConflict((used) => used.column("hash").doNothing())
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Forgets the ids of tokens that have expired. */
export async function purgeTokenIds(db: Db, expiredBefore: number): Promise<void> {
  await toKysely(db)
    .deleteFrom("used_token_ids")
    .where("expires_at", "<=", expiredBefore)
    .execute();
}
