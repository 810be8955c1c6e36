import type { Db, Transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { toFlag } from "../database/tables/flag.ts";
import type { UserKind, UserOrigin, UserRole } from "../database/tables/user-tables.ts";
import { EVERYONE_TAG, ensureTags } from "../tags/tags-table.ts";

/** What gave a user the role, the state and the tags that count. */
export type UserOrigins = {
  kind: UserKind;
  origin: UserOrigin;
  /** The role given by hand, while groups give the role admin. Null: the role is given by hand. */
  handRole: UserRole | null;
  /** What disabled the user, if it was not done by hand. */
  disabledBy: "groups" | "scim" | null;
  /** In alphabetical order, as the following. A tag may be in both lists. */
  handTags: string[];
  groupTags: string[];
};

/** Null if the user does not exist. */
export async function findUserOrigins(db: Db, userId: string): Promise<UserOrigins | null> {
  const kysely = toKysely(db);
  const user = await kysely
    .selectFrom("users")
    .select(["user_kind", "user_origin", "hand_role", "disabled_by"])
    .where("id", "=", userId)
    .executeTakeFirst();
  if (user === undefined) return null;
  const tags = await kysely
    .selectFrom("user_tags")
    .innerJoin("tags", "tags.id", "user_tags.tag_id")
    .select(["tags.name", "by_hand", "by_group"])
    .where("user_id", "=", userId)
    .orderBy("tags.name")
    .execute();
  return {
    kind: user.user_kind,
    origin: user.user_origin,
    handRole: user.hand_role,
    disabledBy: user.disabled_by,
    handTags: tags.filter(({ by_hand }) => by_hand === 1).map(({ name }) => name),
    groupTags: tags.filter(({ by_group }) => by_group === 1).map(({ name }) => name),
  };
}

/**
 * Active admins whose groups are known, or to whom groups gave the role, without this one. By id, at most `limit`: while there
 * is one active admin, it is among them if groups took its role and it was kept for being the last.
 */
export async function listAdminsByGroups(
  db: Db,
  { exceptId, limit }: { exceptId: string; limit: number },
): Promise<string[]> {
  const found = await toKysely(db)
    .selectFrom("users")
    .select("id")
    .where("id", "<>", exceptId)
    .where("role", "=", "admin")
    .where("status", "=", "active")
    .where("user_kind", "=", "person")
    .where((user) => {
      const read = user
        .selectFrom("user_group_reads")
        .select("user_group_reads.user_id")
        .whereRef("user_group_reads.user_id", "=", "users.id");
      return user.or([user("hand_role", "=", "user"), user.exists(read)]);
    })
    .orderBy("id")
    .limit(limit)
    .execute();
  return found.map(({ id }) => id);
}

/** The role given by hand beside the one that counts. Null: the role that counts is given by hand. */
export async function setHandRole(
  trx: Transaction,
  userId: string,
  handRole: UserRole | null,
): Promise<void> {
  await toKysely(trx)
    .updateTable("users")
    .set({ hand_role: handRole })
    .where("id", "=", userId)
    .execute();
}

/** Makes these tags the ones that groups give. Those given by hand stay. */
export async function setGroupTags(
  trx: Transaction,
  userId: string,
  names: readonly string[],
  at: number,
): Promise<void> {
  const kysely = toKysely(trx);
  const tags = (await ensureTags(trx, names, at)).filter(({ name }) => name !== EVERYONE_TAG);
  const given = kysely.deleteFrom("user_tags").where("user_id", "=", userId);
  await given.where("by_hand", "=", toFlag(false)).execute();
  const shared = kysely.updateTable("user_tags").where("user_id", "=", userId);
  await shared.set({ by_group: toFlag(false) }).execute();
  if (tags.length === 0) return;
  await kysely
    .insertInto("user_tags")
    .values(
      tags.map(({ id }) => ({
        user_id: userId,
        tag_id: id,
        by_hand: toFlag(false),
        by_group: toFlag(true),
      })),
    )
    .onConflict((both) =>
      both.columns(["user_id", "tag_id"]).doUpdateSet({ by_group: toFlag(true) }),
    )
    .execute();
}

/** The tags that only groups give. */
export async function listGroupOnlyTags(trx: Transaction, userId: string): Promise<string[]> {
  const tags = await toKysely(trx)
    .selectFrom("user_tags")
    .innerJoin("tags", "tags.id", "user_tags.tag_id")
    .select("tags.name")
    .where("user_id", "=", userId)
    .where("by_hand", "=", toFlag(false))
    .execute();
  return tags.map(({ name }) => name);
}

export async function setOrigin(
  trx: Transaction,
  userId: string,
  origin: UserOrigin,
): Promise<void> {
  await toKysely(trx)
    .updateTable("users")
    .set({ user_origin: origin })
    .where("id", "=", userId)
    .execute();
}
