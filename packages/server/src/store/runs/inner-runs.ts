import { sql } from "kysely";
import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { isInner, isTaggedAmong } from "./run-conditions.ts";

/** The calls that a message or a script made: how many, and how many of them failed or were refused. */
export type InnerCounts = { total: number; failed: number };

/** Of each, hundreds of entries of an index are read. */
const countedAtOnce = 25;

/**
 * Counts the calls of messages and scripts, by the ids of these; those without calls are left out. With tags, only calls of
 * rows that have one of them, and those that reached no row, are counted, each only if its user is among those given.
 */
export async function countInnerRuns(
  db: Db,
  causeIds: readonly string[],
  seen?: { taggedAmong: readonly string[]; userIds: readonly string[] },
): Promise<ReadonlyMap<string, InnerCounts>> {
  const counts = new Map<string, InnerCounts>();
  for (let first = 0; first < causeIds.length; first += countedAtOnce) {
    // Lets other requests run between two statements.
    if (first > 0) await Bun.sleep(0);
    let query = toKysely(db)
      .selectFrom("connector_runs")
      .select(({ fn }) => [
        "cause_id",
        fn.countAll<number>().as("total"),
        sql<number>`cast(sum(case when status in ('error', 'denied') then 1 else 0 end) as bigint)`.as(
          "failed",
        ),
      ])
      .where("cause_id", "in", causeIds.slice(first, first + countedAtOnce))
      .where(isInner)
      .groupBy("cause_id");
    if (seen !== undefined) {
      query = query
        .where("user_id", "in", seen.userIds)
        .where((runs) => isTaggedAmong(runs, seen.taggedAmong));
    }
    for (const { cause_id: id, total, failed } of await query.execute()) {
      if (id !== null) counts.set(id, { total: Number(total), failed: Number(failed) });
    }
  }
  return counts;
}
