import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { toFlag } from "../database/tables/flag.ts";

/** A user's password; `hash` is null for a user without one. */
export type StoredPassword = { hash: string | null; mustChange: boolean };

export async function findPassword(db: Db, userId: string): Promise<StoredPassword | null> {
  const user = await toKysely(db)
    .selectFrom("users")
    .select(["password_hash", "must_change_password"])
    .where("id", "=", userId)
    .executeTakeFirst();
  if (user === undefined) return null;
  return { hash: user.password_hash, mustChange: user.must_change_password === 1 };
}

/** A null hash removes the password. */
export async function setPassword(
  db: Db,
  userId: string,
  password: StoredPassword,
  at: number,
): Promise<void> {
  await toKysely(db)
    .updateTable("users")
    .set({
      password_hash: password.hash,
      must_change_password: toFlag(password.mustChange),
      updated_at: at,
    })
    .where("id", "=", userId)
    .execute();
}
