import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { EVERYONE_TAG } from "../tags/tags-table.ts";
import { toEmail } from "./users-table.ts";

/** Whether an active admin exists besides this user. */
export async function hasOtherActiveAdmin(db: Db, userId: string): Promise<boolean> {
  const other = await toKysely(db)
    .selectFrom("users")
    .select("id")
    .where("id", "<>", userId)
    .where("role", "=", "admin")
    .where("status", "=", "active")
    // A service user stops with its owner, and mends nothing.
    .where("user_kind", "=", "person")
    .limit(1)
    .executeTakeFirst();
  return other !== undefined;
}

/** Whether an active user has one of these tags or e-mails. */
export async function hasActiveUser(
  db: Db,
  { tags, users }: { tags: readonly string[]; users: readonly string[] },
): Promise<boolean> {
  const isForAll = tags.includes(EVERYONE_TAG);
  const found = await toKysely(db)
    .selectFrom("users")
    .select("users.id")
    .where("status", "=", "active")
    .where("user_kind", "=", "person")
    .where((user) => {
      const tagged = user
        .selectFrom("user_tags")
        .innerJoin("tags", "tags.id", "user_tags.tag_id")
        .select("user_tags.user_id")
        .whereRef("user_tags.user_id", "=", "users.id")
        .where("tags.name", "in", tags);
      return user.or([
        ...(isForAll ? [user.lit(true)] : []),
        ...(users.length > 0 ? [user("email", "in", users.map(toEmail))] : []),
        ...(tags.length > 0 ? [user.exists(tagged)] : []),
      ]);
    })
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}
