import type { Flag } from "./flag.ts";

/** The tables of calls, their counts and their cancellation. */
export type RunTables = {
  connector_runs: {
    id: string;
    parent_run_id: string | null;
    connector_id: string | null;
    row_label: string | null;
    operation_key: string;
    user_id: string;
    token_id: string | null;
    source: RunSource;
    status: RunStatus;
    error_code: string | null;
    error_msg: string | null;
    request: string | null;
    response: string | null;
    request_cut: Flag;
    latency_ms: number | null;
    http_status: number | null;
    ip_address: string | null;
    user_agent: string | null;
    instance_id: string;
    started_at: number;
    ended_at: number | null;
    workflow_run_id: string | null;
    started_by: string | null;
    cause_kind: CauseKind | null;
    cause_id: string | null;
    unreached: Flag | null;
    /** The account that the call used. */
    account: string | null;
  };
  run_hours: {
    hour: number;
    connector_id: string;
    status: RunStatus;
    runs: number;
    latency_ms: number;
  };
  run_hours_until: { id: number; ended_before: number };
  run_bytes: { hour: number; bytes: number };
  user_run_bytes: { day: number; user_id: string; bytes: number };
  run_cancellations: { run_id: string; reason: string; requested_at: number };
  request_cancellations: {
    id: string;
    user_id: string;
    session_id: string;
    request_id: string;
    requested_at: number;
  };
};

/** The columns of those that are read whole. */
export const runColumns = {
  connector_runs: [
    "id",
    "parent_run_id",
    "connector_id",
    "row_label",
    "operation_key",
    "user_id",
    "token_id",
    "source",
    "status",
    "error_code",
    "error_msg",
    "request",
    "response",
    "request_cut",
    "latency_ms",
    "http_status",
    "ip_address",
    "user_agent",
    "instance_id",
    "started_at",
    "ended_at",
    "workflow_run_id",
    "started_by",
    "cause_kind",
    "cause_id",
    "unreached",
    "account",
  ],
  run_bytes: ["hour", "bytes"],
} as const satisfies { [Table in keyof RunTables]?: ReadonlyArray<keyof RunTables[Table]> };

export type RunSource = "mcp" | "test" | "retry" | "workflow";

/** What made a call. Batches, scripts and pending calls are values that a newer server beside this one may write. */
export type CauseKind = "client" | "retry" | "workflow" | "batch" | "script" | "pending";

export type RunStatus = "running" | "success" | "error" | "denied" | "cancelled";
