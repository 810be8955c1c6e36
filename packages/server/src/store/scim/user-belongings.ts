import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";

/**
 * Whether the user has anything of worth that the user made or was given, beside groups: tags given by hand, valid tokens, applications,
 * accounts in rows, service users or workflows.
 */
export async function hasBelongings(db: Db, userId: string): Promise<boolean> {
  const kysely = toKysely(db);
  const found = await kysely
    .selectFrom("users")
    .select("id")
    .where("id", "=", userId)
    .where((user) =>
      user.or([
        user.exists(
          user
            .selectFrom("user_tags")
            .select("tag_id")
            .where("user_id", "=", userId)
            .where("by_hand", "=", 1),
        ),
        user.exists(
          user
            .selectFrom("personal_access_tokens")
            .select("personal_access_tokens.id")
            .where("user_id", "=", userId)
            .where("revoked_at", "is", null),
        ),
        user.exists(
          user.selectFrom("oauth_grants").select("oauth_grants.id").where("user_id", "=", userId),
        ),
        user.exists(
          user
            .selectFrom("user_accounts")
            .select("user_accounts.id")
            .where("user_id", "=", userId)
            .where("kind", "<>", "removed"),
        ),
        user.exists(
          user.selectFrom("users as owned").select("owned.id").where("owned.owned_by", "=", userId),
        ),
        user.exists(
          user
            .selectFrom("workflows")
            .select("workflows.id")
            .where("owner_id", "=", userId)
            .where("deleted_at", "is", null),
        ),
      ]),
    )
    .executeTakeFirst();
  return found !== undefined;
}
