import type { Db, Transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";

/** The issuer whose verified e-mail links a user that an admin prepared. Null for other users. */
export async function findPreparedIssuer(db: Db, userId: string): Promise<string | null> {
  const found = await toKysely(db)
    .selectFrom("prepared_users")
    .select("issuer")
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return found?.issuer ?? null;
}

export async function insertPreparedUser(
  trx: Transaction,
  { userId, issuer, at }: { userId: string; issuer: string; at: number },
): Promise<void> {
  await toKysely(trx)
    .insertInto("prepared_users")
    .values({ user_id: userId, issuer, created_at: at })
    .execute();
}

/** A user is linked once, so the preparation ends with it. */
export async function removePreparedUser(trx: Transaction, userId: string): Promise<void> {
  await toKysely(trx).deleteFrom("prepared_users").where("user_id", "=", userId).execute();
}
