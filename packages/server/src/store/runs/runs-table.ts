import { sql } from "kysely";
import { type Db, type Transaction, transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { tableColumns } from "../database/table-columns.ts";
import type { CauseKind, RunSource, RunStatus } from "../database/tables/run-tables.ts";
import type { Tables } from "../database/tables.ts";
import { removeInstances } from "../servers/instances.ts";

/** One audit row. `request` and `response` are JSON text, sealed and cut. */
export type RunRecord = {
  id: string;
  parentRunId: string | null;
  connectorId: string | null;
  rowLabel: string | null;
  operationKey: string;
  userId: string;
  tokenId: string | null;
  source: RunSource;
  status: RunStatus;
  errorCode: string | null;
  errorMsg: string | null;
  request: string | null;
  response: string | null;
  /** The stored request is incomplete, so it cannot be replayed. */
  requestCut: boolean;
  latencyMs: number | null;
  httpStatus: number | null;
  ipAddress: string | null;
  userAgent: string | null;
  /** The run of a workflow whose step made the call, and who or what started that run. */
  workflowRunId: string | null;
  startedBy: string | null;
  /** What made the call; null for calls that are older than this member. `causeId` is a run of that kind. */
  causeKind: CauseKind | null;
  causeId: string | null;
  instanceId: string;
  /** The account that the call used: `own: LABEL` or `shared`. Null if its row has no accounts of users. */
  account: string | null;
  startedAt: number;
  endedAt: number | null;
};

export type RunFilter = {
  connectorId?: string;
  userId?: string;
  status?: RunStatus;
  source?: RunSource;
  operationKey?: string;
  /** Only runs newer than the run with this id. */
  after?: string;
  /** Only runs older than the run with this id: the last run of a page gives the next page. */
  before?: string;
  limit: number;
};

export async function findRun(db: Db, id: string): Promise<RunRecord | null> {
  const run = await toKysely(db)
    .selectFrom("connector_runs")
    .select(tableColumns.connector_runs)
    .where("id", "=", id)
    .executeTakeFirst();
  return run === undefined ? null : toRunRecord(run);
}

/** Newest first. */
export async function listRuns(db: Db, filter: RunFilter): Promise<RunRecord[]> {
  const { connectorId, userId, status, source, operationKey, after, before, limit } = filter;
  let query = toKysely(db)
    .selectFrom("connector_runs")
    .select(tableColumns.connector_runs)
    .orderBy("id", "desc")
    .limit(limit);
  if (connectorId !== undefined) query = query.where("connector_id", "=", connectorId);
  if (userId !== undefined) query = query.where("user_id", "=", userId);
  if (status !== undefined) query = query.where("status", "=", status);
  if (status !== undefined && status !== "success") query = query.where(isNotSuccess);
  if (source !== undefined) query = query.where("source", "=", source);
  if (operationKey !== undefined) query = query.where("operation_key", "=", operationKey);
  if (after !== undefined) query = query.where("id", ">", after);
  if (before !== undefined) query = query.where("id", "<", before);
  return (await query.execute()).map(toRunRecord);
}

/** Ids of the runs that replayed a run, oldest first. */
export async function listRetries(db: Db, id: string): Promise<string[]> {
  const retries = await toKysely(db)
    .selectFrom("connector_runs")
    .select("id")
    .where("parent_run_id", "=", id)
    .orderBy("id")
    .execute();
  return retries.map((retry) => retry.id);
}

/** The runs of one batch of a purge: how many, and when the last one ended. */
export type Purged = { count: number; endedAt: number | null };

/**
 * Deletes at most `limit` runs that ended before a time, oldest first. A purge of several batches gives
 * the last end as `endedFrom`. PostgreSQL keeps the index entries of deleted runs for some time: without
 * this bound, each batch would read all of them again.
 */
export async function purgeRuns(
  db: Db,
  bounds: { endedFrom?: number | null; endedBefore: number; limit: number },
): Promise<Purged> {
  const { endedFrom = null, endedBefore, limit } = bounds;
  let old = toKysely(db)
    .selectFrom("connector_runs")
    .select(["id", "ended_at"])
    .where("ended_at", "<", toUnplanned(endedBefore))
    .orderBy("ended_at")
    .limit(limit);
  if (endedFrom !== null) old = old.where("ended_at", ">=", toUnplanned(endedFrom));
  const runs = await old.execute();
  const last = runs.at(-1);
  if (last === undefined) return { count: 0, endedAt: null };
  const ids = runs.map(({ id }) => id);
  // Not one statement with a subquery: to plan it, PostgreSQL reads the deleted entries too.
  await toKysely(db).deleteFrom("connector_runs").where("id", "in", ids).execute();
  return { count: runs.length, endedAt: last.ended_at };
}

/** PostgreSQL reads the ends of an index to plan a comparison with a known value near them. */
function toUnplanned(value: number) {
  return sql<number>`(select cast(${value} as bigint))`;
}

/**
 * Deletes the dead instances, and sets `running` runs of instances that do not exist to
 * `cancelled`, as of `at`; returns the number of these runs.
 */
export function cancelInterruptedRuns(
  db: Db,
  { dead, at }: { dead: readonly string[]; at: number },
): Promise<number> {
  return transaction(db, async (trx) => {
    await removeInstances(trx, dead);
    return await cancelForgottenRuns(trx, at);
  });
}

async function cancelForgottenRuns(trx: Transaction, at: number): Promise<number> {
  const { numUpdatedRows } = await toKysely(trx)
    .updateTable("connector_runs")
    .set({
      status: "cancelled",
      error_code: "cancelled",
      error_msg:
        "The hub stopped before this call ended. Whether the operation took effect is not known.",
      ended_at: at,
    })
    .where("status", "=", "running")
    .where(isNotSuccess)
    .where((run) =>
      run.not(
        run.exists(
          run
            .selectFrom("instances")
            .select("instances.id")
            .whereRef("instances.id", "=", "instance_id"),
        ),
      ),
    )
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/**
 * The same text as in the partial index on status: SQLite uses it only for a matching condition.
 */
const isNotSuccess = sql<boolean>`status <> 'success'`;

export function toRunRecord(run: Tables["connector_runs"]): RunRecord {
  return { ...toListedRun(run), request: run.request, response: run.response };
}

/** A run without what was sent and received, which may be 16 KiB each. */
export type ListedRun = Omit<RunRecord, "request" | "response">;

export function toListedRun(
  run: Omit<Tables["connector_runs"], "request" | "response">,
): ListedRun {
  return {
    id: run.id,
    parentRunId: run.parent_run_id,
    connectorId: run.connector_id,
    rowLabel: run.row_label,
    operationKey: run.operation_key,
    userId: run.user_id,
    tokenId: run.token_id,
    source: run.source,
    status: run.status,
    errorCode: run.error_code,
    errorMsg: run.error_msg,
    requestCut: run.request_cut === 1,
    latencyMs: run.latency_ms,
    httpStatus: run.http_status,
    ipAddress: run.ip_address,
    userAgent: run.user_agent,
    workflowRunId: run.workflow_run_id,
    startedBy: run.started_by,
    causeKind: run.cause_kind,
    causeId: run.cause_id,
    instanceId: run.instance_id,
    account: run.account,
    startedAt: run.started_at,
    endedAt: run.ended_at,
  };
}

/** The messages of failed runs that are stored, by the runs' ids. */
export async function listRunMessages(
  db: Db,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const messages = new Map<string, string>();
  for (let first = 0; first < ids.length; first += idsAtOnce) {
    const runs = await toKysely(db)
      .selectFrom("connector_runs")
      .select(["id", "error_msg"])
      .where("id", "in", ids.slice(first, first + idsAtOnce))
      .where("error_msg", "is not", null)
      .execute();
    for (const { id, error_msg: message } of runs) if (message !== null) messages.set(id, message);
  }
  return messages;
}

/** A statement has a limited number of parameters. */
const idsAtOnce = 500;
