import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import type { StepRecord } from "./workflow-run-records.ts";

export type SuccessFilter = {
  workflowId: string;
  nodeId: string;
  /** Only runs that are older than this one. */
  before: string;
  /** How many runs are looked at, the newest first. */
  scannedMax: number;
};

/** The newest live run in which a node succeeded, among some. One look-up by key for each of them. */
export async function findLastSuccess(
  db: Db,
  { workflowId, nodeId, before, scannedMax }: SuccessFilter,
): Promise<string | null> {
  const found = await toKysely(db)
    .selectFrom("workflow_steps as step")
    .innerJoin(
      (scanned) =>
        scanned
          .selectFrom("workflow_runs")
          .select("id")
          .where("workflow_id", "=", workflowId)
          .where("id", "<", before)
          .orderBy("id", "desc")
          .limit(scannedMax)
          .as("run"),
      (join) => join.onRef("run.id", "=", "step.run_id"),
    )
    .select("step.run_id as id")
    .where("step.node_id", "=", nodeId)
    .where("step.item", "=", -1)
    .where("step.state", "=", "succeeded")
    // The mode is behind the event in the stored row, so it is read for matches only.
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom("workflow_runs as live")
          .select("live.id")
          .whereRef("live.id", "=", "step.run_id")
          .where("live.mode", "=", "live"),
      ),
    )
    .orderBy("step.run_id", "desc")
    .limit(1)
    .executeTakeFirst();
  return found?.id ?? null;
}

type SpanFilter = Pick<SuccessFilter, "workflowId" | "before" | "scannedMax"> & {
  /** The oldest run that counts. Null if all of them do. */
  oldest: string | null;
};

/** How many runs are older than a run, up to a limit. */
export async function countRunsBefore(
  db: Db,
  { workflowId, before, scannedMax, oldest }: SpanFilter,
): Promise<number> {
  const found = await toKysely(db)
    .selectFrom((scanned) => {
      const runs = scanned
        .selectFrom("workflow_runs")
        .select("id")
        .where("workflow_id", "=", workflowId)
        .where("id", "<", before)
        .limit(scannedMax);
      return (oldest === null ? runs : runs.where("id", ">=", oldest)).as("run");
    })
    .select((run) => run.fn.countAll<number>().as("runs"))
    .executeTakeFirst();
  return Number(found?.runs ?? 0);
}

/** The index of the first item of `for_each` that failed; null if none did. */
export async function findFailedItem(
  db: Db,
  runId: string,
  nodeId: string,
): Promise<StepRecord["item"] | null> {
  const found = await toKysely(db)
    .selectFrom("workflow_steps")
    .select("item")
    .where("run_id", "=", runId)
    .where("node_id", "=", nodeId)
    .where("item", ">=", 0)
    .where("state", "=", "failed")
    .orderBy("item")
    .limit(1)
    .executeTakeFirst();
  return found?.item ?? null;
}

/** The nodes of a run that failed, in the order in which they were committed, without their items. */
export async function listFailedNodes(
  db: Db,
  runId: string,
  limit: number,
): Promise<Pick<StepRecord, "nodeId" | "error">[]> {
  return await toKysely(db)
    .selectFrom("workflow_steps")
    .select(["node_id as nodeId", "error"])
    .where("run_id", "=", runId)
    .where("item", "=", -1)
    .where("state", "=", "failed")
    .orderBy("position")
    .limit(limit)
    .execute();
}
