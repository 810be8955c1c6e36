import type { RowOutcome } from "../database/tables/row-tables.ts";
import type { RunStatus } from "../database/tables/run-tables.ts";
import { type StoredActivity, toOutcomeColumns } from "./row-activity.ts";

/** A run that has ended, of a row that was found. */
export type EndedRun = {
  id: string;
  row_id: string;
  operation_key: string;
  status: RunStatus;
  error_code: string | null;
  http_status: number | null;
  unreached: number | null;
  latency_ms: number | null;
  started_at: number;
  ended_at: number;
  /** The beginning of the answer of a health check; null for other calls. */
  health: string | null;
};

type Outcome = Pick<
  EndedRun,
  "operation_key" | "status" | "error_code" | "http_status" | "unreached" | "health"
>;

/** Failures that are not the caller's. */
const faults: ReadonlySet<string> = new Set([
  "upstream_error",
  "timeout",
  "plugin_unavailable",
  "internal",
]);

/** The key of a health check in its record. */
export const healthKey = "hub.health";

/** Whether a run failed by its row: what was denied, or had wrong params, did not. */
export function isFaultOfRow({ status, error_code: code }: Outcome): boolean {
  return status === "error" && code !== null && faults.has(code);
}

/** Whether a run that ended says nothing about whether its row works. */
export function saysNothing(run: Outcome): boolean {
  return run.status !== "success" && !isFaultOfRow(run);
}

/** What an ended run says about its row; null if that is nothing. */
export function findOutcome(run: Outcome): RowOutcome | null {
  // Records of older versions: a check that failed was recorded as a success with this answer.
  if (run.status === "success" && run.health?.startsWith('{"ok":false') === true) {
    return judgeFailure(run) ?? "unreachable";
  }
  if (run.status === "success") return "worked";
  if (!isFaultOfRow(run)) return null;
  if (run.operation_key === healthKey) return judgeFailure(run) ?? "failed";
  return judgeFailure(run);
}

/** Null if it is not known whether the outside system was reached. */
function judgeFailure(run: Outcome): RowOutcome | null {
  const { http_status: status, error_code: code, unreached } = run;
  if (status === 401 || status === 403) return "refused";
  if (code === "plugin_unavailable") return "unreachable";
  // Also of a failed check of a built-in connector, which is recorded as unreached whatever was answered.
  if (status !== null && status >= 400) return "failed";
  if (unreached === 1) return "unreachable";
  return status === null ? null : "failed";
}

/** Whether a system that has worked answered 403 to one request: then the credentials are good, and may not do this. */
function isOfOneRequest(
  { worked_at: workedAt }: StoredActivity,
  run: Pick<EndedRun, "operation_key" | "http_status">,
): boolean {
  return workedAt !== null && run.http_status === 403 && run.operation_key !== healthKey;
}

/** Takes an outcome as the last one, unless a later one is known or the row's values were others. */
export function recordOutcome(
  activity: StoredActivity,
  run: Pick<EndedRun, "id" | "operation_key" | "http_status" | "started_at" | "ended_at">,
  found: RowOutcome | null,
): void {
  if (found === null || run.started_at < activity.valid_from) return;
  const kind = isOfOneRequest(activity, run) ? "failed" : found;
  if (kind === "worked") activity.worked_at = Math.max(activity.worked_at ?? 0, run.ended_at);
  if (activity.outcome_at !== null && activity.outcome_at >= run.ended_at) return;
  const { outcome_since: since } = activity;
  const isSame = activity.outcome === kind && since !== null;
  const outcome = {
    kind,
    at: run.ended_at,
    since: isSame ? since : run.ended_at,
    run: run.id,
    isCheck: run.operation_key === healthKey,
  };
  Object.assign(activity, toOutcomeColumns(outcome));
}
