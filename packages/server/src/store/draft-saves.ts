import { type ExpressionBuilder, type RawBuilder, type SqlBool, sql } from "kysely";
import type { Db } from "./database/database.ts";
import { toKysely } from "./database/kysely.ts";
import type { Tables } from "./database/tables.ts";

/** The pages save a draft some seconds after each change. */
export const draftSave = "workflow.save";
/** Saves of a draft with a longer pause between them are not one piece of work. */
const pauseMsMax = 3_600_000;
/** More saves of a group are not counted. */
export const groupedMax = 1000;

type Changes = ExpressionBuilder<Tables, "changes">;

/**
 * Whether a change is a save of a draft that another one follows: by the same user over the same interface,
 * within an hour, and with no other change of the workflow in between. Changes at `changedBefore` or later
 * do not follow.
 */
export function isFollowedSave(
  change: Changes,
  { changedBefore }: { changedBefore?: number | undefined },
): RawBuilder<SqlBool> {
  const limit = changedBefore === undefined ? sql`` : sql` and n.changed_at < ${changedBefore}`;
  const own = (column: keyof Tables["changes"]) => change.ref(`changes.${column}`);
  return sql<SqlBool>`(${own("action")} = ${draftSave} and exists (
    select 1 from changes as later
    where later.id = (
      select n.id from changes as n
      where n.target_kind = ${own("target_kind")} and n.target_id = ${own("target_id")}
        and n.id > ${own("id")}${limit}
      order by n.id limit 1)
    and later.action = ${draftSave} and later.actor_id = ${own("actor_id")}
    and later.via = ${own("via")} and later.changed_at - ${own("changed_at")} < ${pauseMsMax}))`;
}

type Save = { id: string; changedAt: number; actorId: string; via: string; targetId: string };

/**
 * How many saves a group has whose newest one is given, at most `groupedMax`, and when the first of them was
 * made; not before `changedFrom`.
 */
export async function countSaves(
  db: Db,
  newest: Save,
  { changedFrom = 0 }: { changedFrom?: number | undefined } = {},
): Promise<{ count: number; since: number }> {
  const older = await toKysely(db)
    .selectFrom("changes")
    .select(["action", "actor_id", "via", "changed_at"])
    .where("target_kind", "=", "workflow")
    .where("target_id", "=", newest.targetId)
    .where("id", "<", newest.id)
    .where("changed_at", ">=", changedFrom)
    .orderBy("id", "desc")
    .limit(groupedMax - 1)
    .execute();
  let [count, since] = [1, newest.changedAt];
  for (const { action, actor_id: actor, via, changed_at: at } of older) {
    const isOfGroup = action === draftSave && actor === newest.actorId && via === newest.via;
    if (!isOfGroup || since - at >= pauseMsMax) break;
    count += 1;
    since = at;
  }
  return { count, since };
}
