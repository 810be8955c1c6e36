import { sql } from "kysely";
import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";

/**
 * How many live runs are queued or wait, `max` at most: of all workflows, or of those of one owner. Runs of a later time are not
 * among them.
 */
export async function countWaitingRuns(
  db: Db,
  { ownerId, max }: { ownerId?: string | undefined; max: number },
): Promise<number> {
  const waiting = toKysely(db)
    .selectFrom("workflow_runs")
    .innerJoin("workflows", "workflows.id", "workflow_runs.workflow_id")
    .select("workflow_runs.id")
    // As in the index of active runs: SQLite uses it only if its condition is repeated.
    .where(sql<boolean>`workflow_runs.state in ('queued', 'running', 'waiting')`)
    .where("workflow_runs.state", "!=", "running")
    .where("workflow_runs.scheduled_at", "is", null)
    .where("workflow_runs.mode", "=", "live")
    .where("workflows.deleted_at", "is", null)
    .$if(ownerId !== undefined, (query) => query.where("workflows.owner_id", "=", ownerId ?? ""))
    .limit(max);
  const { runs } = await toKysely(db)
    .selectFrom(waiting.as("waiting"))
    .select((one) => one.fn.countAll<number>().as("runs"))
    .executeTakeFirstOrThrow();
  return Number(runs);
}
