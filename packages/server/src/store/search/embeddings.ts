import { type Db, transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { tableColumns } from "../database/table-columns.ts";

/** A text's vector by the hash of the text: one signed byte for each dimension. */
export type StoredEmbedding = { hash: string; vector: Int8Array };

/** The stored vectors of these texts. */
export async function findEmbeddings(
  db: Db,
  { model, hashes }: { model: string; hashes: readonly string[] },
): Promise<StoredEmbedding[]> {
  if (hashes.length === 0) return [];
  const found = await toKysely(db)
    .selectFrom("embeddings")
    .select(["text_hash as hash", "vector"])
    .where("model", "=", model)
    .where("text_hash", "in", hashes)
    .execute();
  return found.map(({ hash, vector }) => ({ hash, vector: new Int8Array(vector) }));
}

/** Stores vectors, and replaces those of texts that have one. */
export async function putEmbeddings(
  db: Db,
  { model, entries, at }: { model: string; entries: readonly StoredEmbedding[]; at: number },
): Promise<void> {
  if (entries.length === 0) return;
  await toKysely(db)
    .insertInto("embeddings")
    .values(
      entries.map(({ hash, vector }) => ({
        model,
        text_hash: hash,
        vector: new Uint8Array(vector),
        used_at: at,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(["model", "text_hash"]).doUpdateSet((entry) => ({
        vector: entry.ref("excluded.vector"),
        used_at: entry.ref("excluded.used_at"),
      })),
    )
    .execute();
}

/** Records that these texts are in use. Vectors that were used since `usedBefore` are not written. */
export async function touchEmbeddings(
  db: Db,
  { model, hashes, at, usedBefore }: TouchedEmbeddings,
): Promise<void> {
  if (hashes.length === 0) return;
  await toKysely(db)
    .updateTable("embeddings")
    .set({ used_at: at })
    .where("model", "=", model)
    .where("text_hash", "in", hashes)
    .where("used_at", "<", usedBefore)
    .execute();
}

type TouchedEmbeddings = {
  model: string;
  hashes: readonly string[];
  at: number;
  usedBefore: number;
};

/** Deletes up to `limit` vectors that were last used before this time; returns their number. */
export async function purgeEmbeddings(
  db: Db,
  { usedBefore, limit }: { usedBefore: number; limit: number },
): Promise<number> {
  const unused = await toKysely(db)
    .selectFrom("embeddings")
    .select(["model", "text_hash"])
    .where("used_at", "<", usedBefore)
    .orderBy("used_at")
    .limit(limit)
    .execute();
  const byModel = Map.groupBy(unused, ({ model }) => model);
  for (const [model, ofModel] of byModel) {
    const hashes = ofModel.map(({ text_hash: hash }) => hash);
    await toKysely(db)
      .deleteFrom("embeddings")
      .where("model", "=", model)
      .where("text_hash", "in", hashes)
      .where("used_at", "<", usedBefore)
      .execute();
  }
  return unused.length;
}

type Lease = { model: string; holder: string; at: number; expiresAt: number };

/** True if this process may make vectors with the model until `expiresAt`. A holder may renew it. */
export function claimEmbeddingLease(db: Db, lease: Lease): Promise<boolean> {
  const { model, holder, at, expiresAt } = lease;
  return transaction(db, async (trx) => {
    const held = await toKysely(trx)
      .selectFrom("embedding_leases")
      .select(tableColumns.embedding_leases)
      .where("model", "=", model)
      .executeTakeFirst();
    // A lease from far ahead was written with a wrong clock.
    const isFree =
      held === undefined ||
      held.holder === holder ||
      held.expires_at <= at ||
      held.expires_at > at + 10 * (expiresAt - at);
    if (!isFree) return false;
    await toKysely(trx)
      .insertInto("embedding_leases")
      .values({ model, holder, expires_at: expiresAt })
      .onConflict((conflict) =>
        conflict.column("model").doUpdateSet({ holder, expires_at: expiresAt }),
      )
      .execute();
    return true;
  });
}

export async function releaseEmbeddingLease(
  db: Db,
  { model, holder }: { model: string; holder: string },
): Promise<void> {
  await toKysely(db)
    .deleteFrom("embedding_leases")
    .where("model", "=", model)
    .where("holder", "=", holder)
    .execute();
}
