import { type ExpressionBuilder, sql } from "kysely";
import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import type { Tables } from "../database/tables.ts";
import { toFirstId } from "../database/timed-ids.ts";
import {
  runSelection,
  type StoredRun,
  selectRun,
  type WorkflowRunRecord,
  type WorkflowRunState,
} from "./workflow-run-columns.ts";

export async function findWorkflowRun(db: Db, id: string): Promise<WorkflowRunRecord | null> {
  const run = await toKysely(db)
    .selectFrom("workflow_runs")
    .select(runSelection)
    .where("id", "=", id)
    .executeTakeFirst();
  return run ?? null;
}

/** How many runs up the chain are looked at. */
const parentsMax = 1000;

/** The runs that led to a run, as far as they are kept, the nearest first. */
export async function listParentRuns(
  db: Db,
  id: string,
): Promise<Array<Pick<StoredRun, "id" | "workflowId" | "bodyId">>> {
  return await toKysely(db)
    .withRecursive("chain", (chain) =>
      chain
        .selectFrom("workflow_runs")
        .select(["id", "workflow_id", "body_id", "parent_run_id", sql<number>`0`.as("depth")])
        .where("id", "=", id)
        .unionAll(
          chain
            .selectFrom("workflow_runs")
            .innerJoin("chain", "chain.parent_run_id", "workflow_runs.id")
            .select(["workflow_runs.id", "workflow_runs.workflow_id", "workflow_runs.body_id"])
            .select(["workflow_runs.parent_run_id", sql<number>`chain.depth + 1`.as("depth")])
            .where("chain.depth", "<", parentsMax),
        ),
    )
    .selectFrom("chain")
    .select(["id", "workflow_id as workflowId", "body_id as bodyId"])
    .where("depth", ">", 0)
    .orderBy("depth")
    .execute();
}

/** How a run began: JSON, and the body of a webhook as it was sent. */
export async function readRunEvent(
  db: Db,
  id: string,
): Promise<Pick<StoredRun, "event" | "raw" | "context"> | null> {
  const found = await toKysely(db)
    .selectFrom("workflow_runs")
    .select(selectRun(["event", "raw", "context"]))
    .where("id", "=", id)
    .executeTakeFirst();
  return found ?? null;
}

export type WorkflowRunFilter = {
  workflowId: string;
  state?: WorkflowRunState | undefined;
  triggerId?: string | undefined;
  /** Only runs that began at this time or later; epoch ms. */
  from?: number | undefined;
  /** Only runs that began before this time; epoch ms. */
  to?: number | undefined;
  /** Only runs that are older than this one. */
  before?: string | undefined;
};

/** Newest first. With `scannedMax`, only those among so many of the newest runs before `before`. */
export async function listWorkflowRuns(
  db: Db,
  { limit, scannedMax, ...filter }: WorkflowRunFilter & { limit: number; scannedMax?: number },
): Promise<WorkflowRunRecord[]> {
  const { state, triggerId } = filter;
  const span = selectSpan(db, filter).select(runSelection).orderBy("id", "desc");
  let query = toKysely(db)
    .selectFrom((scannedMax === undefined ? span : span.limit(scannedMax)).as("run"))
    .selectAll("run");
  if (state !== undefined) query = query.where("state", "=", state);
  if (triggerId !== undefined) query = query.where("triggerId", "=", triggerId);
  return await query.orderBy("id", "desc").limit(limit).execute();
}

/** The id of the run that is this many runs after the newest before `before`. Null if there are fewer. */
export async function findRunAt(
  db: Db,
  filter: WorkflowRunFilter,
  offset: number,
): Promise<string | null> {
  const found = await selectSpan(db, filter)
    .select("id")
    .orderBy("id", "desc")
    .offset(offset)
    .limit(1)
    .executeTakeFirst();
  return found?.id ?? null;
}

/** The runs of a workflow in a span of time, along an index. */
function selectSpan(db: Db, { workflowId, from, to, before }: WorkflowRunFilter) {
  let query = toKysely(db).selectFrom("workflow_runs").where("workflow_id", "=", workflowId);
  if (from !== undefined) query = query.where("id", ">=", toFirstId(from));
  if (to !== undefined) query = query.where("id", "<", toFirstId(to));
  if (before !== undefined) query = query.where("id", "<", before);
  return query;
}

/** The newest live run of each workflow that does not wait for its time. */
export async function listLastRuns(
  db: Db,
  workflowIds: readonly string[],
): Promise<WorkflowRunRecord[]> {
  if (workflowIds.length === 0) return [];
  return await toKysely(db)
    .selectFrom("workflow_runs")
    .select(runSelection)
    .where("id", "in", (workflow) =>
      workflow
        .selectFrom("workflows")
        .select((one) => selectLastRun(one, "id").as("run"))
        .where("workflows.id", "in", workflowIds),
    )
    .execute();
}

/** A column of the newest live run of a workflow that does not wait for its time. */
export function selectLastRun<Name extends "id" | "state">(
  workflow: ExpressionBuilder<Tables, "workflows">,
  column: Name,
) {
  return workflow
    .selectFrom("workflow_runs as last")
    .select(`last.${column} as value`)
    .whereRef("last.workflow_id", "=", "workflows.id")
    .where("last.mode", "=", "live")
    .where((run) =>
      run.or([run("last.state", "!=", "queued"), run("last.scheduled_at", "is", null)]),
    )
    .orderBy("last.id", "desc")
    .limit(1);
}

export type DueRun = Pick<StoredRun, "id" | "workflowId" | "bodyId"> & { dueAt: number };

/** Runs that any process may claim at a time, the longest due first. */
export async function listDueRuns(
  db: Db,
  at: number,
  limit: number,
  /** Owners whose runs are left out. */
  exceptOwners: readonly string[] = [],
): Promise<DueRun[]> {
  let query = toKysely(db)
    .selectFrom("workflow_runs")
    .select(selectRun(["id", "workflowId", "bodyId", "dueAt"]))
    .where("due_at", "<=", at)
    .where("lease_instance", "is", null);
  if (exceptOwners.length > 0) query = query.where("owner_id", "not in", exceptOwners);
  return await query.orderBy("due_at").limit(limit).$narrowType<{ dueAt: number }>().execute();
}

/** Runs of a process that were asked to end. */
export async function listCancelRequests(
  db: Db,
  instanceId: string,
): Promise<Array<{ id: string; reason: string }>> {
  const found = await toKysely(db)
    .selectFrom("workflow_runs")
    .select(["id", "cancel_reason as reason"])
    .where("cancel_requested_at", "is not", null)
    .where("lease_instance", "=", instanceId)
    .execute();
  return found.map(({ id, reason }) => ({ id, reason: reason ?? "cancelled" }));
}

/** Makes a run due that waits for a decision. It is due after its step in flight if it runs. */
export async function wakeWorkflowRun(db: Db, id: string, at: number): Promise<void> {
  await toKysely(db)
    .updateTable("workflow_runs")
    .set({ due_at: at })
    .where("id", "=", id)
    .where("state", "in", ["running", "waiting"])
    .execute();
}

/** The states of runs, by id. */
export async function findRunStates(
  db: Db,
  ids: readonly string[],
): Promise<ReadonlyMap<string, WorkflowRunState>> {
  if (ids.length === 0) return new Map();
  const found = await toKysely(db)
    .selectFrom("workflow_runs")
    .select(["id", "state"])
    .where("id", "in", ids)
    .execute();
  return new Map(found.map(({ id, state }) => [id, state]));
}
