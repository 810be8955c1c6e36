import { type Db, transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import type { SecretReadKind } from "../database/tables/secret-tables.ts";

/** One attempt to read a secret in its manager, without its value. */
export type SecretReadRecord = {
  id: string;
  referenceId: string;
  readAt: number;
  outcome: SecretReadKind;
  version: string | null;
  reason: string | null;
};

/** Older reads of a reference are deleted with the next one. */
const keptMs = 90 * 24 * 60 * 60_000;

/** Nothing is stored for a reference that was deleted meanwhile. */
export async function insertSecretRead(db: Db, read: SecretReadRecord): Promise<void> {
  await transaction(db, async (trx) => {
    const known = await toKysely(trx)
      .selectFrom("secret_references")
      .select("id")
      .where("id", "=", read.referenceId)
      .executeTakeFirst();
    if (known === undefined) return;
    await toKysely(trx)
      .insertInto("secret_reads")
      .values({
        id: read.id,
        reference_id: read.referenceId,
        read_at: read.readAt,
        outcome: read.outcome,
        version: read.version,
        reason: read.reason,
      })
      .execute();
    await toKysely(trx)
      .deleteFrom("secret_reads")
      .where("reference_id", "=", read.referenceId)
      .where("read_at", "<", read.readAt - keptMs)
      .execute();
  });
}

/** The last reads of a reference, the newest first. */
export async function listSecretReads(
  db: Db,
  referenceId: string,
  limit: number,
): Promise<SecretReadRecord[]> {
  return await toKysely(db)
    .selectFrom("secret_reads")
    .select(["id", "reference_id as referenceId", "read_at as readAt"])
    .select(["outcome", "version", "reason"])
    .where("reference_id", "=", referenceId)
    .orderBy("read_at", "desc")
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
}
