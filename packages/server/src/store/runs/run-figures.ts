import { sql } from "kysely";
import type { Db } from "../database/database.ts";
import type { Tables } from "../database/tables.ts";
import type { RunScanFilter } from "./run-scans.ts";
import { scanInPortions } from "./scan-portions.ts";

type RunColumns = Tables["connector_runs"];

/** A run as figures need it. */
export type TimedRun = Pick<
  RunColumns,
  "id" | "connector_id" | "row_label" | "operation_key" | "user_id" | "status" | "latency_ms"
>;

/** A run with the beginning of its error message. */
export type FailedRun = Pick<
  RunColumns,
  "id" | "connector_id" | "row_label" | "operation_key" | "user_id" | "error_code" | "error_msg"
>;

/** Runs that figures and groups of errors look at. */
export const runsFiguredMax = 5_000;
/**
 * SQLite reads the whole request and response of a run, 32 KiB at most, to reach the columns after them. So many take
 * some 15 ms.
 */
export const timedAtOnce = 500;
/** Their messages are read too, some 10 ms for so many that all differ. */
const failedAtOnce = 250;
/** Characters of an error message by which runs are grouped. */
export const messageCharsRead = 200;

/** Calls `add` for the newest runs that match a filter. Resolves with where it stopped, as `scanInPortions` does. */
export function readTimedRuns(
  db: Db,
  filter: RunScanFilter,
  add: (run: TimedRun) => void,
): Promise<number | null> {
  return scanInPortions(db, filter, {
    atOnceMax: timedAtOnce,
    scannedMax: runsFiguredMax,
    read: (scan) =>
      scan
        .select([
          "id",
          "connector_id",
          "row_label",
          "operation_key",
          "user_id",
          "status",
          "latency_ms",
        ])
        .orderBy("id", "desc")
        .execute(),
    add,
  });
}

/** The same for runs that failed. */
export function readFailedRuns(
  db: Db,
  filter: RunScanFilter,
  add: (run: FailedRun) => void,
): Promise<number | null> {
  return scanInPortions(
    db,
    { ...filter, hasError: true },
    {
      atOnceMax: failedAtOnce,
      scannedMax: runsFiguredMax,
      read: (scan) =>
        scan
          .select(["id", "connector_id", "row_label", "operation_key", "user_id", "error_code"])
          .select(sql<string | null>`substr(error_msg, 1, ${messageCharsRead})`.as("error_msg"))
          .orderBy("id", "desc")
          .execute(),
      add,
    },
  );
}
