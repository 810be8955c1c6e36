import { findNumberText } from "@hub/connector";
import { toShapeError } from "../request-logs.ts";
import { fromRfc3339, timeNsMax } from "../time/rfc3339.ts";
import { type Column, findColumn } from "./frame.ts";

const timeNames = ["time", "timestamp", "ts"];

/** Finds the column of times by name or type. */
export function findTimeColumn(columns: readonly Column[]): Column | null {
  return findColumn(columns, timeNames) ?? columns.find((column) => column.type === "time") ?? null;
}

/** Reads the time of a row in nanoseconds from the most precise column. */
export function createTimeReader(columns: readonly Column[]): (row: number) => bigint {
  const exact = findColumn(columns, ["tsns"]);
  const time = findTimeColumn(columns);
  const nanos = findColumn(columns, ["nanos"])?.values ?? time?.nanos ?? [];
  return (row) => {
    const timeNs = findDigits(exact?.values[row]) ?? findTime(time?.values[row], nanos[row]);
    if (timeNs === null || timeNs > timeNsMax) throw toShapeError();
    return timeNs;
  };
}

function findTime(value: unknown, nanos: unknown): bigint | null {
  const timeMs = findDigits(value);
  if (timeMs === null) return typeof value === "string" ? fromRfc3339(value) : null;
  // The value counts from the millisecond or from the second. The digits below the millisecond are equal.
  return timeMs * 1_000_000n + ((findDigits(nanos) ?? 0n) % 1_000_000n);
}

function findDigits(value: unknown): bigint | null {
  const text = typeof value === "string" ? value : findNumberText(value);
  return text !== null && /^\d{1,19}$/.test(text) ? BigInt(text) : null;
}
