import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { EVERYONE_TAG } from "../tags/tags-table.ts";

/** How many active users have one of these tags: none, one with this e-mail, or more. */
export async function countDeciders(
  db: Db,
  tags: readonly string[],
): Promise<{ total: 0 | 1 | 2; only: string | null }> {
  let users = toKysely(db)
    .selectFrom("users")
    .select("email")
    .where("status", "=", "active")
    .where("user_kind", "=", "person")
    .orderBy("email")
    .limit(2);
  if (!tags.includes(EVERYONE_TAG)) {
    users = users.where((user) =>
      user.exists(
        user
          .selectFrom("user_tags")
          .innerJoin("tags", "tags.id", "user_tags.tag_id")
          .select("user_tags.user_id")
          .whereRef("user_tags.user_id", "=", "users.id")
          .where("tags.name", "in", tags),
      ),
    );
  }
  const [first, second] = await users.execute();
  if (first === undefined) return { total: 0, only: null };
  return second === undefined ? { total: 1, only: first.email } : { total: 2, only: null };
}
