import type { Db, Transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";

/** Of one statement: SQLite and PostgreSQL limit the parameters. */
const chunkLength = 500;

/** The ids of the members of a group, in their order. */
export async function listMemberIds(db: Db, groupId: string): Promise<string[]> {
  const members = await toKysely(db)
    .selectFrom("scim_members")
    .select("user_id")
    .where("group_id", "=", groupId)
    .orderBy("user_id")
    .execute();
  return members.map(({ user_id }) => user_id);
}

/** How many members each of these groups has. A group without members is not in it. */
export async function countMembers(
  db: Db,
  groupIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (groupIds.length === 0) return new Map();
  const counts = await toKysely(db)
    .selectFrom("scim_members")
    .select((one) => ["group_id", one.fn.countAll<number>().as("members")])
    .where("group_id", "in", groupIds)
    .groupBy("group_id")
    .execute();
  return new Map(counts.map(({ group_id, members }) => [group_id, Number(members)]));
}

/** Which of these users a client keeps, and which of them are members of the group. */
export async function findMembers(
  db: Db,
  { clientId, groupId, userIds }: { clientId: string; groupId: string; userIds: readonly string[] },
): Promise<{ kept: Set<string>; members: Set<string> }> {
  const kept = new Set<string>();
  const members = new Set<string>();
  for (const chunk of toChunks(userIds)) {
    const found = await toKysely(db)
      .selectFrom("scim_users")
      .leftJoin("scim_members", (join) =>
        join
          .onRef("scim_members.user_id", "=", "scim_users.user_id")
          .on("scim_members.group_id", "=", groupId),
      )
      .select(["scim_users.user_id", "scim_members.group_id"])
      .where("scim_users.client_id", "=", clientId)
      .where("scim_users.user_name", "is not", null)
      .where("scim_users.user_id", "in", chunk)
      .execute();
    for (const { user_id, group_id } of found) {
      kept.add(user_id);
      if (group_id !== null) members.add(user_id);
    }
  }
  return { kept, members };
}

/** The users are members from now on, and their groups are due. */
export async function addMembers(
  trx: Transaction,
  groupId: string,
  userIds: readonly string[],
): Promise<void> {
  for (const chunk of toChunks(userIds)) {
    await toKysely(trx)
      .insertInto("scim_members")
      .values(chunk.map((user_id) => ({ group_id: groupId, user_id })))
      .onConflict((conflict) => conflict.columns(["group_id", "user_id"]).doNothing())
      .execute();
  }
  await markGroupsDue(trx, userIds);
}

/** The users are no members from now on, and their groups are due. */
export async function removeMembers(
  trx: Transaction,
  groupId: string,
  userIds: readonly string[],
): Promise<void> {
  for (const chunk of toChunks(userIds)) {
    await toKysely(trx)
      .deleteFrom("scim_members")
      .where("group_id", "=", groupId)
      .where("user_id", "in", chunk)
      .execute();
  }
  await markGroupsDue(trx, userIds);
}

/** The tags and roles of these users are still to follow their groups. */
export async function markGroupsDue(trx: Transaction, userIds: readonly string[]): Promise<void> {
  for (const chunk of toChunks(userIds)) {
    await toKysely(trx)
      .updateTable("scim_users")
      .set({ groups_due: 1 })
      .where("user_id", "in", chunk)
      .execute();
  }
}

/** Users whose groups are due: of all clients, or some of one. */
export async function listGroupsDue(
  db: Db,
  { limit, userIds }: { limit: number; userIds?: readonly string[] },
): Promise<Array<{ userId: string; client: { id: string; name: string } }>> {
  const due = await toKysely(db)
    .selectFrom("scim_users")
    .innerJoin("scim_clients", "scim_clients.id", "scim_users.client_id")
    .select(["user_id", "client_id", "scim_clients.name"])
    // A literal, because SQLite uses no partial index for parameters.
    .where((one) => one("groups_due", "=", one.lit(1)))
    .$if(userIds !== undefined, (query) => query.where("user_id", "in", userIds ?? []))
    .orderBy("client_id")
    .orderBy("user_id")
    .limit(limit)
    .execute();
  return due.map(({ user_id, client_id, name }) => ({
    userId: user_id,
    client: { id: client_id, name },
  }));
}

/** The tags and the role of the user follow the groups. */
export async function clearGroupsDue(trx: Transaction, userId: string): Promise<void> {
  await toKysely(trx)
    .updateTable("scim_users")
    .set({ groups_due: 0 })
    .where("user_id", "=", userId)
    .execute();
}

/** The names of the groups of a user. */
export async function listGroupNames(db: Db, userId: string): Promise<string[]> {
  const groups = await toKysely(db)
    .selectFrom("scim_members")
    .innerJoin("scim_groups", "scim_groups.id", "scim_members.group_id")
    .select("scim_groups.display_name")
    .where("scim_members.user_id", "=", userId)
    .orderBy("scim_groups.name_key")
    .execute();
  return groups.map(({ display_name }) => display_name);
}

function* toChunks(ids: readonly string[]): Generator<string[]> {
  for (let at = 0; at < ids.length; at += chunkLength) yield ids.slice(at, at + chunkLength);
}
