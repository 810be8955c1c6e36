import { sql } from "kysely";
import type { Db, Transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { bumpRevision } from "../settings/revision.ts";
import { effectiveStatus, isEffectiveTag } from "../users/effective-user.ts";

export type Named = { first: Array<{ id: string; name: string }>; total: number };

type Person = { id: string; email: string; name: string };

/** The users with a tag, by e-mail: the first ones, and how many there are. */
export async function listTaggedUsers(
  db: Db,
  tag: string,
  limit: number,
): Promise<{ first: Person[]; total: number }> {
  const found = await toKysely(db)
    .selectFrom("user_tags")
    .innerJoin("tags", "tags.id", "user_tags.tag_id")
    .innerJoin("users", "users.id", "user_tags.user_id")
    .where("tags.name", "=", tag)
    .select(["users.id", "users.email", "users.name", total])
    .orderBy("users.email")
    .limit(limit)
    .execute();
  return toFirst(found);
}

/** How many active users have each of these tags. A service user has those that its owner has too. */
export async function countActiveUsers(
  db: Db,
  tags: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (tags.length === 0) return new Map();
  const counts = await toKysely(db)
    .selectFrom("user_tags")
    .innerJoin("tags", "tags.id", "user_tags.tag_id")
    .innerJoin("users", "users.id", "user_tags.user_id")
    .select((user) => ["tags.name", user.fn.countAll<number>().as("users")])
    .where("tags.name", "in", tags)
    .where(sql<boolean>`${sql.raw(effectiveStatus)} = 'active'`)
    .where(sql<boolean>`${sql.raw(isEffectiveTag)}`)
    .groupBy("tags.name")
    .execute();
  return new Map(counts.map(({ name, users }) => [name, Number(users)]));
}

/** The other rows that a tag opens, by label. */
export async function listTaggedRows(
  db: Db,
  tag: string,
  { except, limit }: { except: string; limit: number },
): Promise<Named> {
  const found = await toKysely(db)
    .selectFrom("row_tags")
    .innerJoin("tags", "tags.id", "row_tags.tag_id")
    .innerJoin("connector_rows", "connector_rows.id", "row_tags.row_id")
    .where("tags.name", "=", tag)
    .where("connector_rows.id", "<>", except)
    .select(["connector_rows.id", "connector_rows.label as name", total])
    .orderBy("connector_rows.label")
    .limit(limit)
    .execute();
  return toFirst(found);
}

/** The workflows that a tag opens, by name. */
export async function listTaggedWorkflows(db: Db, tag: string, limit: number): Promise<Named> {
  const found = await toKysely(db)
    .selectFrom("workflow_tags")
    .innerJoin("tags", "tags.id", "workflow_tags.tag_id")
    .innerJoin("workflows", "workflows.id", "workflow_tags.workflow_id")
    .where("tags.name", "=", tag)
    .where("workflows.deleted_at", "is", null)
    .select(["workflows.id", "workflows.name", total])
    .orderBy("workflows.name")
    .limit(limit)
    .execute();
  return toFirst(found);
}

/** The pending approvals that users with a tag may decide, oldest first. */
export async function listTaggedApprovals(db: Db, tag: string, limit: number): Promise<Named> {
  const found = await toKysely(db)
    .selectFrom("workflow_approvers")
    .innerJoin("workflow_approvals", "workflow_approvals.id", "workflow_approvers.approval_id")
    .where("workflow_approvers.kind", "=", "tag")
    .where("workflow_approvers.name", "=", tag)
    .where("workflow_approvals.state", "=", "pending")
    .select(["workflow_approvals.id", "workflow_approvals.title as name", total])
    .orderBy("workflow_approvals.created_at")
    .limit(limit)
    .execute();
  return toFirst(found);
}

/** Takes a tag from all users, and deletes it if no row and no workflow has it. Returns how many had it. */
export async function removeTagFromUsers(trx: Transaction, tag: string): Promise<number> {
  const db = toKysely(trx);
  const found = await db.selectFrom("tags").select("id").where("name", "=", tag).executeTakeFirst();
  if (found === undefined) return 0;
  const { numDeletedRows } = await db
    .deleteFrom("user_tags")
    .where("tag_id", "=", found.id)
    .executeTakeFirst();
  const [row, workflow] = [
    await db
      .selectFrom("row_tags")
      .select("tag_id")
      .where("tag_id", "=", found.id)
      .limit(1)
      .execute(),
    await db
      .selectFrom("workflow_tags")
      .select("tag_id")
      .where("tag_id", "=", found.id)
      .limit(1)
      .execute(),
  ];
  if (row.length + workflow.length === 0) {
    await db.deleteFrom("tags").where("id", "=", found.id).execute();
  }
  await bumpRevision(trx);
  return Number(numDeletedRows);
}

/** The number of all rows of a query, whatever its limit. */
const total = sql<number>`count(*) over ()`.as("total");

function toFirst<Found extends { total: number }>(found: readonly Found[]) {
  return {
    first: found.map(({ total: _, ...one }) => one),
    total: Number(found[0]?.total ?? 0),
  };
}
