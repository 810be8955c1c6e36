import { Database } from "bun:sqlite";
import { join } from "node:path";

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
  using db = new Database(join(dataDir, "hub.sqlite"), { readonly: true });
  return db.query<AuditRow, []>("select * from connector_runs order by id").all();
}

/** Counts the runs by status, of one operation or of all. */
export function countByStatus(dataDir: string, operationKey?: string): Record<string, number> {
  using db = new Database(join(dataDir, "hub.sqlite"), { readonly: true });
  const rows = db
    .query<{ status: string; count: number }, [string | null]>(
      "select status, count(*) as count from connector_runs where ?1 is null or operation_key = ?1 group by status",
    )
    .all(operationKey ?? null);
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}

/** The runs that contain one of these texts in any column. */
export function findRunsWith(dataDir: string, texts: readonly string[]): AuditRow[] {
  using db = new Database(join(dataDir, "hub.sqlite"), { readonly: true });
  const columns = ["operation_key", "error_msg", "request", "response", "user_agent"];
  const all = columns.map((column) => `coalesce(${column}, '')`).join(" || ' ' || ");
  const query = db.query<AuditRow, [string]>(
    `select * from connector_runs where instr(${all}, ?) > 0`,
  );
  return texts.flatMap((text) => query.all(text));
}

export function readLastRun(dataDir: string): AuditRow {
  const row = readAudit(dataDir).at(-1);
  if (row === undefined) throw new Error("The audit is empty.");
  return row;
}

/** Sets the heartbeat of every process of this folder to a time long ago. */
export function ageInstances(dataDir: string): void {
  using db = new Database(join(dataDir, "hub.sqlite"), { readwrite: true });
  db.run("update instances set heartbeat_at = 0");
}

/** The last heartbeat of each process of this folder. */
export function readHeartbeats(dataDir: string): number[] {
  using db = new Database(join(dataDir, "hub.sqlite"), { readonly: true });
  const instances = db
    .query<{ heartbeat_at: number }, []>("select heartbeat_at from instances")
    .all();
  return instances.map((instance) => instance.heartbeat_at);
}

/** Adds a run with an id smaller than that of the last run, although it is written later. */
export function addOvertakenRun(dataDir: string): void {
  const id = `${readLastRun(dataDir).id.slice(0, -12)}${"0".repeat(12)}`;
  using db = new Database(join(dataDir, "hub.sqlite"), { readwrite: true });
  db.run("create temp table run as select * from connector_runs order by id desc limit 1");
  db.run("update run set id = ?, operation_key = 'overtaken'", [id]);
  db.run("insert into connector_runs select * from run");
}
