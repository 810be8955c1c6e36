import { sql } from "kysely";
import type { Db } from "../database/database.ts";
import type { UserAccess } from "../database/hot-reads.ts";
import { toKysely } from "../database/kysely.ts";
import type { UserRole, UserStatus } from "../database/tables/user-tables.ts";
import { EVERYONE_TAG } from "../tags/tags-table.ts";
import { effectiveRole, effectiveStatus, isEffectiveTag } from "./effective-user.ts";

/**
 * The same as `HotReads.findUserAccess`, for what must see the changes of its own transaction or plan, such as a user whom a
 * hub file adds before a workflow of the user.
 */
export async function findEffectiveUser(db: Db, id: string): Promise<UserAccess | null> {
  const found = await toKysely(db)
    .selectFrom("users")
    .leftJoin("user_tags", (join) =>
      join.onRef("user_tags.user_id", "=", "users.id").on(sql<boolean>`${sql.raw(isEffectiveTag)}`),
    )
    .leftJoin("tags", "tags.id", "user_tags.tag_id")
    .select(["users.id as userId", "email", "users.name", "user_kind as kind"])
    .select(["owned_by as ownerId", "tags.name as tag"])
    .select(sql<UserRole>`${sql.raw(effectiveRole)}`.as("role"))
    .select(sql<UserStatus>`${sql.raw(effectiveStatus)}`.as("status"))
    .where("users.id", "=", id)
    .execute();
  const [first] = found;
  if (first === undefined) return null;
  const { tag: _, ...user } = first;
  return { ...user, tags: [...found.flatMap(({ tag }) => tag ?? []), EVERYONE_TAG] };
}
