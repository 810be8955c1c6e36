import { repeatConflicts } from "../database/retry-conflicts.ts";
import { tableColumns } from "../database/table-columns.ts";
import { toFlag } from "../database/tables/flag.ts";
import type { Tables } from "../database/tables.ts";
import { type RuleUse, refuseUse, toUseStatement } from "../rules/rule-uses.ts";
import type { NewRun, RunOutcome, RunWrite } from "../runs/run-recorder.ts";
import type { ConnectionPool } from "./connections/connection-pool.ts";
import { isConflict, isFaultOfStatement } from "./postgres-errors.ts";
import { toParameter } from "./to-values.ts";

/**
 * Stores audit writes together: all of them in one statement, which is one round trip and one
 * commit. Returns for each write its own error, or undefined. Throws if nothing was committed.
 */
export function createPostgresRunWriter({ pool }: { pool: Pick<ConnectionPool, "query"> }) {
  async function store(entries: readonly RunWrite[]): Promise<unknown[]> {
    const runs = new Map<string, RunRow>();
    const made: RunRow[] = [];
    const closed: RunRow[] = [];
    const ends: RunRow[] = [];
    for (const entry of entries) {
      if (entry.kind !== "finish") {
        const row = toRunRow(entry);
        runs.set(entry.run.id, row);
        (entry.kind === "begin" ? made : closed).push(row);
      } else if (!addEnd(runs, entry)) {
        ends.push(toEndRow(entry));
      }
    }
    const values = [made, closed, ends].map(toJson);
    // A deadlock with a job that updates the same runs in another order.
    const { rows } = await repeatConflicts({ isConflict }, () =>
      pool.query<{ ended: string }>(statement, values),
    );
    const ended = new Set<string>(JSON.parse(rows[0]?.ended ?? "[]"));
    return entries.map((entry) =>
      entry.kind === "finish" && !ended.has(entry.id) && !runs.has(entry.id)
        ? new Error(`There is no run ${entry.id} to finish.`)
        : undefined,
    );
  }

  /** The free call and the record in one statement: both or none. Undefined, or why it was refused. */
  async function storeFree({ run, use }: FreeBegin): Promise<unknown> {
    const { userId, windowStart, ruleId, revision, max } = use;
    const row = toJson([toRunRow({ kind: "begin", run })]);
    const values = [userId, windowStart, ruleId, revision, max, row];
    try {
      const { rows } = await repeatConflicts({ isConflict }, () =>
        pool.query<{ made: number }>(freeStatement, values),
      );
      return rows[0]?.made === 1 ? undefined : refuseUse();
    } catch (err) {
      // Those without a free call are stored already.
      return err;
    }
  }

  return async function writeRuns(entries: readonly RunWrite[]): Promise<unknown[]> {
    const free = entries.filter(isFree);
    if (free.length > 0) {
      const others = entries.filter((entry) => !isFree(entry));
      const faults = others.length === 0 ? [] : await writeRuns(others);
      const byEntry = new Map(others.map((entry, index) => [entry, faults[index]]));
      for (const entry of free) byEntry.set(entry, await storeFree(entry));
      return entries.map((entry) => byEntry.get(entry));
    }
    try {
      return await store(entries);
    } catch (err) {
      if (!isFaultOfStatement(err)) throw err;
      if (entries.length === 1) return [err];
      // One write spoils the statement of all, so each is stored alone.
      const faults: unknown[] = [];
      for (const entry of entries) faults.push(...(await writeRuns([entry])));
      return faults;
    }
  };
}

/** By name: during an update, the table may have further columns, with defaults. */
const columns = tableColumns.connector_runs.join(", ");

/**
 * JSON, because its members keep their types and a batch of any size is three parameters. A run
 * that was refused because its first write got no answer may be there already: then it is closed. If
 * that write arrives later, it fails.
 */
const statement = `
  with made as (
    insert into connector_runs (${columns})
    select ${columns} from json_populate_recordset(null::connector_runs, $1::text::json)
  ), closed as (
    insert into connector_runs (${columns})
    select ${columns} from json_populate_recordset(null::connector_runs, $2::text::json)
    on conflict (id) do update set
      status = excluded.status, error_code = excluded.error_code, error_msg = excluded.error_msg,
      response = excluded.response, latency_ms = excluded.latency_ms,
      http_status = excluded.http_status, unreached = excluded.unreached, ended_at = excluded.ended_at
    where connector_runs.status = 'running'
  ), ended as (
    update connector_runs set
      status = e.status, error_code = e.error_code, error_msg = e.error_msg, response = e.response,
      latency_ms = e.latency_ms, http_status = e.http_status, unreached = e.unreached, ended_at = e.ended_at,
      request = coalesce(e.request, connector_runs.request),
      request_cut = coalesce(e.request_cut, connector_runs.request_cut)
    from json_populate_recordset(null::connector_runs, $3::text::json) as e
    where connector_runs.id = e.id
    returning connector_runs.id
  )
  select (select coalesce(json_agg(id), '[]') from ended)::text as ended`;

const freeStatement = `
  with used as (${toUseStatement({
    userId: "$1::text",
    windowStart: "$2::bigint",
    ruleId: "$3::text",
    revision: "$4::bigint",
    max: "$5::bigint",
  })}
    returning 1
  ), made as (
    insert into connector_runs (${columns})
    select ${columns} from json_populate_recordset(null::connector_runs, $6::text::json)
    where exists (select 1 from used)
    returning 1
  )
  select count(*)::int as made from made`;

type FreeBegin = Extract<RunWrite, { kind: "begin" }> & { use: RuleUse };

function isFree(entry: RunWrite): entry is FreeBegin {
  return entry.kind === "begin" && entry.use !== undefined;
}

type RunsTable = Tables["connector_runs"];
type RunRow = Pick<RunsTable, "id"> & Partial<RunsTable>;
type RunEnd = Extract<RunWrite, { kind: "finish" }>;

/** The statement does not see its own new rows, so a run that begins in it ends in memory. */
function addEnd(runs: Map<string, RunRow>, end: RunEnd): boolean {
  const run = runs.get(end.id);
  if (run === undefined) return false;
  Object.assign(run, toEndRow(end));
  return true;
}

function toRunRow(entry: Exclude<RunWrite, RunEnd>): RunRow {
  const { run } = entry;
  const outcome =
    entry.kind === "begin" ? { status: "running" as const } : toOutcome(entry.outcome);
  return { ...toColumns(run), ...outcome };
}

/** The type refuses a column without a value. */
function toColumns(run: NewRun): Omit<RunsTable, keyof ReturnType<typeof toOutcome>> {
  return {
    id: run.id,
    parent_run_id: run.parentRunId,
    connector_id: run.connectorId,
    row_label: run.rowLabel,
    operation_key: run.operationKey,
    user_id: run.userId,
    token_id: run.tokenId,
    source: run.source,
    request: run.request,
    request_cut: toFlag(run.requestCut),
    ip_address: run.ipAddress,
    user_agent: run.userAgent,
    workflow_run_id: run.workflowRunId,
    started_by: run.startedBy,
    cause_kind: run.causeKind,
    cause_id: run.causeId,
    instance_id: run.instanceId,
    started_at: run.startedAt,
    account: run.account,
  };
}

function toEndRow({ id, outcome }: RunEnd): RunRow {
  const { resealed } = outcome;
  return {
    id,
    ...toOutcome(outcome),
    ...(resealed && { request: resealed.request, request_cut: toFlag(resealed.requestCut) }),
  };
}

function toOutcome(outcome: RunOutcome) {
  return {
    status: outcome.status,
    error_code: outcome.errorCode,
    error_msg: outcome.errorMsg,
    response: outcome.response,
    latency_ms: outcome.latencyMs,
    http_status: outcome.httpStatus,
    unreached: outcome.isUnreached === true ? (1 as const) : null,
    ended_at: outcome.endedAt,
  };
}

/** A member that is left out is null in the database, too. Half of those of a run are. */
function toJson(rows: readonly Record<string, unknown>[]): string {
  return JSON.stringify(rows, (_key, value) => (value === null ? undefined : toParameter(value)));
}
