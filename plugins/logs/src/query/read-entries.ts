import type { Json } from "@hub/connector";
import { type Column, findColumn, readColumns, toLabels } from "./frame.ts";
import { createTimeReader } from "./frame-times.ts";

/** One log line as it came. */
export type RawEntry = { timeNs: bigint; labels: Record<string, string>; line: string };

/** The log lines of all frames, in the order of the direction whatever the host's was. */
export function readEntries(
  frames: readonly Json[],
  direction: "backward" | "forward",
): RawEntry[] {
  const sign = direction === "forward" ? 1 : -1;
  return frames
    .flatMap(readFrame)
    .sort((a, b) => (a.timeNs === b.timeNs ? 0 : a.timeNs < b.timeNs ? -sign : sign));
}

/** The column of lines; null for a frame of numbers. */
export function findLineColumn(columns: readonly Column[]): Column | null {
  return findColumn(columns, ["line", "body"]);
}

function readFrame(frame: Json): RawEntry[] {
  const columns = readColumns(frame);
  const lines = findLineColumn(columns);
  if (lines === null || lines.values.length === 0) return [];
  const labels = findColumn(columns, ["labels", "__labels"]);
  const readTime = createTimeReader(columns);
  return lines.values.map((line, row) => ({
    timeNs: readTime(row),
    labels: toLabels(labels === null ? lines.labels : labels.values[row]),
    line: typeof line === "string" ? line : JSON.stringify(line ?? ""),
  }));
}
