import { sql } from "kysely";
import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { type StoredRun, selectRun } from "./workflow-run-columns.ts";

const recentMembers = [
  "id",
  "workflowId",
  "state",
  "mode",
  "createdAt",
  "startedAt",
  "endedAt",
  "scheduledAt",
] as const;

/** A run as lists of workflows draw it. Times are epoch ms. */
export type RecentRun = Pick<StoredRun, (typeof recentMembers)[number]>;

/** Workflows in one statement. SQLite takes 500 parts at most. */
const workflowsAtOnce = 100;

/**
 * The newest live runs of each workflow that do not wait for their time, newest first. Of each workflow, only so many
 * of the newest runs are looked at, however many there are.
 */
export async function listRecentRuns(
  db: Db,
  workflowIds: readonly string[],
  { shown, looked }: { shown: number; looked: number },
): Promise<RecentRun[]> {
  const found: RecentRun[] = [];
  for (let at = 0; at < workflowIds.length; at += workflowsAtOnce) {
    const ids = workflowIds.slice(at, at + workflowsAtOnce);
    found.push(...(await selectRecent(db, ids, { shown, looked })));
  }
  return found;
}

async function selectRecent(
  db: Db,
  [first, ...others]: readonly string[],
  { shown, looked }: { shown: number; looked: number },
): Promise<RecentRun[]> {
  if (first === undefined) return [];
  // A part for each workflow, because one over all of them would read all their runs.
  const selectPart = (workflowId: string) =>
    toKysely(db)
      .selectFrom(
        toKysely(db)
          .selectFrom(selectNewest(db, workflowId, looked).as("newest"))
          .selectAll("newest")
          .where("mode", "=", sql.lit("live" as const))
          .where((run) =>
            run.or([
              run("state", "!=", sql.lit("queued" as const)),
              run("scheduledAt", "is", null),
            ]),
          )
          .orderBy("id", "desc")
          .limit(shown)
          .as("part"),
      )
      .selectAll("part");
  let query = selectPart(first);
  for (const id of others) query = query.unionAll(selectPart(id));
  const runs = await query.execute();
  return runs.sort((one, other) => (one.id < other.id ? 1 : -1));
}

/** Along the index of a workflow's runs. */
function selectNewest(db: Db, workflowId: string, looked: number) {
  return toKysely(db)
    .selectFrom("workflow_runs")
    .select(selectRun(recentMembers))
    .where("workflow_id", "=", workflowId)
    .orderBy("id", "desc")
    .limit(looked);
}
