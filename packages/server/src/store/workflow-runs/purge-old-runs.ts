import { sql } from "kysely";
import { type Db, type Transaction, transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { removeUnusedBodies } from "../workflows/workflow-bodies.ts";

export type PurgeBounds = {
  /** The end of the last run that was purged before, so that deleted entries are not read again. */
  endedFrom: number | null;
  endedBefore: number;
  runsMax: number;
  /** Steps are large, and a run may have ten thousands of them. */
  stepsMax: number;
};

/**
 * Deletes some of the oldest runs of workflows that ended before a time, with their steps, deliveries and
 * the bodies that nothing uses any more. Null when there are no more of them.
 */
export function purgeWorkflowRuns(
  db: Db,
  { endedFrom, endedBefore, runsMax, stepsMax }: PurgeBounds,
): Promise<{ endedAt: number } | null> {
  return transaction(db, async (trx) => {
    let old = toKysely(trx)
      .selectFrom("workflow_runs")
      .select(["id", "body_id as bodyId", "ended_at as endedAt"])
      .where("ended_at", "<", toUnplanned(endedBefore))
      .$narrowType<{ endedAt: number }>()
      .orderBy("ended_at")
      .limit(runsMax);
    if (endedFrom !== null) old = old.where("ended_at", ">=", toUnplanned(endedFrom));
    const runs = await old.execute();
    const [first] = runs;
    const last = runs.at(-1);
    if (first === undefined || last === undefined) return null;
    const ids = runs.map(({ id }) => id);
    // The next call goes on with the same runs.
    if (!(await deleteSteps(trx, ids, stepsMax))) return { endedAt: first.endedAt };
    for (const [table, column] of [
      ["workflow_deliveries", "run_id"],
      ["workflow_approvals", "run_id"],
      ["workflow_runs", "id"],
    ] as const) {
      await toKysely(trx).deleteFrom(table).where(column, "in", ids).execute();
    }
    await removeUnusedBodies(trx, [...new Set(runs.map(({ bodyId }) => bodyId))]);
    return { endedAt: last.endedAt };
  });
}

/** Deletes steps of these runs; false if there are more. */
async function deleteSteps(
  trx: Transaction,
  runIds: readonly string[],
  stepsMax: number,
): Promise<boolean> {
  const steps = await toKysely(trx)
    .selectFrom("workflow_steps")
    .select(["run_id as runId", "node_id as nodeId", "item"])
    .where("run_id", "in", runIds)
    .orderBy("run_id")
    .orderBy("node_id")
    .orderBy("item")
    .limit(stepsMax)
    .execute();
  const last = steps.at(-1);
  if (last === undefined) return true;
  // All steps of the runs before the last one are in the list.
  const whole = new Set(steps.map(({ runId }) => runId));
  whole.delete(last.runId);
  if (whole.size > 0) {
    await toKysely(trx)
      .deleteFrom("workflow_steps")
      .where("run_id", "in", [...whole])
      .execute();
  }
  await toKysely(trx)
    .deleteFrom("workflow_steps")
    .where("run_id", "=", last.runId)
    .where(sql<boolean>`(node_id, item) <= (${last.nodeId}, ${last.item})`)
    .execute();
  return steps.length < stepsMax;
}

/** Deletes deliveries that arrived before a time; returns how many. */
export async function purgeDeliveries(
  db: Db,
  { receivedBefore, limit }: { receivedBefore: number; limit: number },
): Promise<number> {
  const old = await toKysely(db)
    .selectFrom("workflow_deliveries")
    .select(["workflow_id as workflowId", "trigger_id as triggerId"])
    .select(["delivery_id as deliveryId"])
    .where("received_at", "<", toUnplanned(receivedBefore))
    .orderBy("received_at")
    .limit(limit)
    .execute();
  if (old.length === 0) return 0;
  const keys = old.map(
    ({ workflowId, triggerId, deliveryId }) => sql`(${workflowId}, ${triggerId}, ${deliveryId})`,
  );
  await toKysely(db)
    .deleteFrom("workflow_deliveries")
    .where(sql<boolean>`(workflow_id, trigger_id, delivery_id) in (values ${sql.join(keys)})`)
    // Meanwhile the sender may have repeated it.
    .where("received_at", "<", receivedBefore)
    .execute();
  return old.length;
}

/** PostgreSQL reads the ends of an index to plan a comparison with a known value near them. */
function toUnplanned(value: number) {
  return sql<number>`(select cast(${value} as bigint))`;
}
