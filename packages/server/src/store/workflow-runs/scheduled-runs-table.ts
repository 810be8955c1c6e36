import { sql } from "kysely";
import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { isActive } from "../workflow-writes/count-active-runs.ts";
import { type StoredRun, selectRun } from "./workflow-run-columns.ts";

const scheduledMembers = [
  "id",
  "workflowId",
  "triggerId",
  "version",
  "scheduledAt",
  "createdAt",
  "chainDepth",
] as const;

/** A run that waits for its time, in epoch ms. */
export type ScheduledRun = Pick<StoredRun, (typeof scheduledMembers)[number]> & {
  scheduledAt: number;
};

export type ScheduledPage = {
  /** Only runs after this one, in the order of the list. */
  after?: { scheduledAt: number; id: string } | undefined;
  limit: number;
};

/** One page of the runs of a workflow that wait for their time, the next one first. */
export async function listScheduledRuns(
  db: Db,
  workflowId: string,
  { after, limit }: ScheduledPage,
): Promise<ScheduledRun[]> {
  let query = selectScheduled(db, workflowId);
  if (after !== undefined) {
    const { scheduledAt, id } = after;
    query = query.where((run) =>
      run.or([
        run("scheduled_at", ">", scheduledAt),
        run.and([run("scheduled_at", "=", scheduledAt), run("id", ">", id)]),
      ]),
    );
  }
  return await query.orderBy("scheduled_at").orderBy("id").limit(limit).execute();
}

/** When the next run of each workflow that waits for its time starts. */
export async function findNextScheduled(
  db: Db,
  workflowIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (workflowIds.length === 0) return new Map();
  const found = await toKysely(db)
    .selectFrom("workflow_runs")
    .select((run) => ["workflow_id as workflowId", run.fn.min("scheduled_at").as("at")])
    .where("workflow_id", "in", workflowIds)
    .where("mode", "=", sql.lit("live" as const))
    .where("state", "=", sql.lit("queued" as const))
    .where(sql<boolean>`${sql.raw(isActive)}`)
    .where("scheduled_at", "is not", null)
    .groupBy("workflow_id")
    .execute();
  return new Map(found.map(({ workflowId, at }) => [workflowId, Number(at)]));
}

/** Null if the workflow has no such run, or if it does not wait for its time any more. */
export async function findScheduledRun(
  db: Db,
  { workflowId, id }: { workflowId: string; id: string },
): Promise<ScheduledRun | null> {
  return (await selectScheduled(db, workflowId).where("id", "=", id).executeTakeFirst()) ?? null;
}

function selectScheduled(db: Db, workflowId: string) {
  return (
    toKysely(db)
      .selectFrom("workflow_runs")
      .select(selectRun(scheduledMembers))
      .where("workflow_id", "=", workflowId)
      // A literal, because SQLite uses no partial index for a parameter.
      .where("mode", "=", sql.lit("live" as const))
      .where("state", "=", sql.lit("queued" as const))
      .where(sql<boolean>`${sql.raw(isActive)}`)
      .where("scheduled_at", "is not", null)
      .$narrowType<{ scheduledAt: number }>()
  );
}

type ScheduledAddress = { workflowId: string; id: string };

/** Gives a run another time. False if it does not wait for its time any more. */
export async function moveScheduledRun(
  db: Db,
  { workflowId, id, scheduledAt }: ScheduledAddress & { scheduledAt: number },
): Promise<boolean> {
  const { numUpdatedRows } = await toKysely(db)
    .updateTable("workflow_runs")
    .set({ scheduled_at: scheduledAt, due_at: scheduledAt })
    .where("id", "=", id)
    .where("workflow_id", "=", workflowId)
    .where("state", "=", "queued")
    .where("scheduled_at", "is not", null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Cancels a run before its time. False if it does not wait for its time any more. */
export async function dropScheduledRun(
  db: Db,
  { workflowId, id, reason, at }: ScheduledAddress & { reason: string; at: number },
): Promise<boolean> {
  const { numUpdatedRows } = await toKysely(db)
    .updateTable("workflow_runs")
    .set({ state: "cancelled", ended_at: at, cancel_reason: reason })
    .set({ scheduled_at: null, due_at: null })
    .where("id", "=", id)
    .where("workflow_id", "=", workflowId)
    .where("state", "=", "queued")
    .where("scheduled_at", "is not", null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
