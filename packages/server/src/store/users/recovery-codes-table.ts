import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";

/** Replaces all codes of a user, used ones too. */
export async function replaceRecoveryCodes(
  db: Db,
  userId: string,
  hashes: readonly Uint8Array[],
): Promise<void> {
  await toKysely(db).deleteFrom("recovery_codes").where("user_id", "=", userId).execute();
  if (hashes.length === 0) return;
  await toKysely(db)
    .insertInto("recovery_codes")
    .values(hashes.map((hash) => ({ user_id: userId, hash, used_at: null })))
    .execute();
}

/** Uses a code, once: false if the user has no such code, or it was used before, also by another server. */
export async function useRecoveryCode(
  db: Db,
  userId: string,
  { hash, at }: { hash: Uint8Array; at: number },
): Promise<boolean> {
  const { numUpdatedRows } = await toKysely(db)
    .updateTable("recovery_codes")
    .set({ used_at: at })
    .where("user_id", "=", userId)
    .where("hash", "=", hash)
    .where("used_at", "is", null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** The number of codes that were not used. */
export async function countRecoveryCodes(db: Db, userId: string): Promise<number> {
  const { unused } = await toKysely(db)
    .selectFrom("recovery_codes")
    .select((code) => code.fn.countAll<number>().as("unused"))
    .where("user_id", "=", userId)
    .where("used_at", "is", null)
    .executeTakeFirstOrThrow();
  return Number(unused);
}
