import type { Db, Transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { tableColumns } from "../database/table-columns.ts";
import { toFlag } from "../database/tables/flag.ts";

/** `sso`, or the SCIM client with this id. */
export type GroupSource = "sso" | `scim:${string}`;

/** What is known of the groups of a user from one source. Times are epoch ms. */
export type GroupRead = {
  source: GroupSource;
  /** In alphabetical order. */
  names: string[];
  /** When the groups were last known to be these. Null if they never were. */
  readAt: number | null;
  /** Why they could not be read since. */
  problem: string | null;
  problemAt: number | null;
  /** How many names were not read. */
  leftOut: number;
  /** Whether the group that the hub requires is missing. */
  isRefused: boolean;
  /** The revision of the lines that was applied. */
  applied: number;
};

export async function listGroupReads(db: Db, userId: string): Promise<GroupRead[]> {
  const kysely = toKysely(db);
  const reads = await kysely
    .selectFrom("user_group_reads")
    .select(tableColumns.user_group_reads)
    .where("user_id", "=", userId)
    .orderBy("source")
    .execute();
  if (reads.length === 0) return [];
  const groups = await kysely
    .selectFrom("user_groups")
    .select(tableColumns.user_groups)
    .where("user_id", "=", userId)
    .orderBy("name")
    .execute();
  return reads.map((read) => ({
    source: toSource(read.source),
    names: groups.filter(({ source }) => source === read.source).map(({ name }) => name),
    readAt: read.read_at,
    problem: read.problem,
    problemAt: read.problem_at,
    leftOut: read.left_out,
    isRefused: read.is_refused === 1,
    applied: read.applied,
  }));
}

/** Stores what was read. The names are written only if they are others than before. */
export async function putGroupRead(
  trx: Transaction,
  userId: string,
  { source, names, ...read }: GroupRead,
  isSame: boolean,
): Promise<void> {
  const kysely = toKysely(trx);
  const stored = {
    read_at: read.readAt,
    problem: read.problem,
    problem_at: read.problemAt,
    left_out: read.leftOut,
    is_refused: toFlag(read.isRefused),
    applied: read.applied,
  };
  await kysely
    .insertInto("user_group_reads")
    .values({ user_id: userId, source, ...stored })
    .onConflict((conflict) => conflict.columns(["user_id", "source"]).doUpdateSet(stored))
    .execute();
  if (isSame) return;
  await kysely
    .deleteFrom("user_groups")
    .where("user_id", "=", userId)
    .where("source", "=", source)
    .execute();
  // Each database limits the parameters of a statement.
  for (let at = 0; at < names.length; at += namesAtOnce) {
    const part = names.slice(at, at + namesAtOnce);
    await kysely
      .insertInto("user_groups")
      .values(part.map((name) => ({ user_id: userId, source, name })))
      .execute();
  }
}

const namesAtOnce = 500;

/** Forgets a source, such as a SCIM client that was removed. Returns its users, whose groups are to be applied again. */
export async function removeGroupSource(trx: Transaction, source: GroupSource): Promise<string[]> {
  const kysely = toKysely(trx);
  await kysely.deleteFrom("user_groups").where("source", "=", source).execute();
  const removed = await kysely
    .deleteFrom("user_group_reads")
    .where("source", "=", source)
    .returning("user_id")
    .execute();
  return removed.map(({ user_id }) => user_id);
}

/** Users to whom the present lines were not applied yet. */
export async function listUsersToApply(
  db: Db,
  { revision, limit }: { revision: number; limit: number },
): Promise<string[]> {
  const found = await toKysely(db)
    .selectFrom("user_group_reads")
    .select("user_id")
    .distinct()
    .where("applied", "<", revision)
    .orderBy("user_id")
    .limit(limit)
    .execute();
  return found.map(({ user_id }) => user_id);
}

/** How many users `listUsersToApply` lists without a limit. */
export async function countUsersToApply(db: Db, revision: number): Promise<number> {
  const { users } = await toKysely(db)
    .selectFrom("user_group_reads")
    .select((read) => read.fn.count<number>("user_id").distinct().as("users"))
    .where("applied", "<", revision)
    .executeTakeFirstOrThrow();
  return Number(users);
}

export async function markApplied(
  trx: Transaction,
  userId: string,
  revision: number,
): Promise<void> {
  await toKysely(trx)
    .updateTable("user_group_reads")
    .set({ applied: revision })
    .where("user_id", "=", userId)
    .execute();
}

/** Every name of a group with its number of users, by source and name. At most `limit`. */
export async function countGroupNames(
  db: Db,
  limit: number,
): Promise<Array<{ source: GroupSource; name: string; users: number }>> {
  const counts = await toKysely(db)
    .selectFrom("user_groups")
    .select((group) => ["source", "name", group.fn.countAll<number>().as("users")])
    .groupBy(["source", "name"])
    .orderBy("name")
    .orderBy("source")
    .limit(limit)
    .execute();
  return counts.map(({ source, name, users }) => ({
    source: toSource(source),
    name,
    users: Number(users),
  }));
}

/** How many users have one of these groups. */
export async function countUsersInGroups(
  db: Db,
  { names, isSso, isScim }: { names: readonly string[]; isSso: boolean; isScim: boolean },
): Promise<number> {
  if (names.length === 0) return 0;
  const { users } = await toKysely(db)
    .selectFrom("user_groups")
    .select((group) => group.fn.count<number>("user_id").distinct().as("users"))
    .where("name", "in", names)
    .where((group) =>
      group.or([
        ...(isSso ? [group("source", "=", "sso")] : []),
        ...(isScim ? [group("source", "<>", "sso")] : []),
      ]),
    )
    .executeTakeFirstOrThrow();
  return Number(users);
}

function toSource(text: string): GroupSource {
  // Only these are stored.
  return text === "sso" ? text : (text as `scim:${string}`);
}
