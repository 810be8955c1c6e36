import { queryDatabase } from "./query-database.ts";

/** A row of the table `connector_runs`. */
export type AuditRow = {
  id: string;
  parent_run_id: string | null;
  connector_id: string | null;
  row_label: string | null;
  operation_key: string;
  user_id: string;
  token_id: string | null;
  source: string;
  status: string;
  error_code: string | null;
  error_msg: string | null;
  request: string | null;
  response: string | null;
  latency_ms: number | null;
  http_status: number | null;
  ip_address: string | null;
  user_agent: string | null;
  instance_id: string;
  started_at: number;
  ended_at: number | null;
};

/** Reads the audit directly from the database, oldest run first. */
export function readAudit(dataDir: string): AuditRow[] {
  return queryDatabase<AuditRow>(dataDir, "select * from connector_runs order by id");
}

/** Counts the runs by status, of one operation or of all. */
export function countByStatus(dataDir: string, operationKey?: string): Record<string, number> {
  const wanted = operationKey === undefined ? "true" : `operation_key = '${operationKey}'`;
  const rows = queryDatabase<{ status: string; count: number }>(
    dataDir,
    `select status, count(*) as count from connector_runs where ${wanted} group by status`,
  );
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}

/** The runs of clients whose User-Agent has this prefix. */
export function readRunsOf(dataDir: string, userAgentStart: string): AuditRow[] {
  const start = `substr(user_agent, 1, ${userAgentStart.length}) = ${toLiteral(userAgentStart)}`;
  const runs = `select * from connector_runs where ${start} order by id`;
  return queryDatabase<AuditRow>(dataDir, runs);
}

/** The runs that contain one of these texts in any column. */
export function findRunsWith(dataDir: string, texts: readonly string[]): AuditRow[] {
  const runs = readAudit(dataDir);
  return texts.flatMap((text) => runs.filter((run) => hasText(run, text)));
}

function hasText(run: AuditRow, text: string): boolean {
  const { operation_key, error_msg, request, response, user_agent } = run;
  return [operation_key, error_msg, request, response, user_agent].some((value) =>
    value?.includes(text),
  );
}

export function readLastRun(dataDir: string): AuditRow {
  const row = findLastRun(dataDir);
  if (row === undefined) throw new Error("The audit is empty.");
  return row;
}

export function findLastRun(dataDir: string): AuditRow | undefined {
  return queryDatabase<AuditRow>(
    dataDir,
    "select * from connector_runs order by id desc limit 1",
  )[0];
}

/** The runs that are newer than this one, oldest first. */
export function readRunsAfter(dataDir: string, run: AuditRow | undefined): AuditRow[] {
  const newer = `select * from connector_runs where id > ${toLiteral(run?.id ?? "")} order by id`;
  return queryDatabase<AuditRow>(dataDir, newer);
}

/** Sets the heartbeat of every process of this folder to a time long ago. */
export function ageInstances(dataDir: string): void {
  queryDatabase(dataDir, "update instances set heartbeat_at = 0");
}

/** The last heartbeat of each process of this folder. */
export function readHeartbeats(dataDir: string): number[] {
  const instances = queryDatabase<{ heartbeat_at: number }>(
    dataDir,
    "select heartbeat_at from instances",
  );
  return instances.map((instance) => instance.heartbeat_at);
}

/** Adds a run with an id smaller than that of the last run, although it is written later. */
export function addOvertakenRun(dataDir: string): void {
  const { id, ...run } = readLastRun(dataDir);
  const overtaken = {
    ...run,
    id: `${id.slice(0, -12)}${"0".repeat(12)}`,
    operation_key: "overtaken",
  };
  const values = Object.values(overtaken).map(toLiteral).join(", ");
  queryDatabase(
    dataDir,
    `insert into connector_runs (${Object.keys(overtaken).join(", ")}) values (${values})`,
  );
}

function toLiteral(value: string | number | null): string {
  return typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value);
}
