import type { Json } from "@hub/connector";
import { type Column, findColumn, readColumns, toLabels } from "./frame.ts";
import { createTimeReader } from "./frame-times.ts";

/** One log line as received. */
export type RawEntry = { timeNs: bigint; line: string } & EntryLabels;

/** The labels of a line. `labels` are those of its stream, which selectors accept. */
export type EntryLabels = {
  labels: Record<string, string>;
  /** Structured metadata, including `detected_level`. */
  metadata?: Record<string, string>;
  /** The labels that the query's parsers extracted. */
  parsed?: Record<string, string>;
};

/** Reads the log lines of all frames, in the order of the direction. */
export function readEntries(
  frames: readonly Json[],
  direction: "backward" | "forward",
): RawEntry[] {
  const sign = direction === "forward" ? 1 : -1;
  return frames
    .flatMap(readFrame)
    .sort((a, b) => (a.timeNs === b.timeNs ? 0 : a.timeNs < b.timeNs ? -sign : sign));
}

/** The column of lines; null for a frame with numbers. */
export function findLineColumn(columns: readonly Column[]): Column | null {
  return findColumn(columns, ["line", "body"]);
}

function readFrame(frame: Json): RawEntry[] {
  const columns = readColumns(frame);
  const lines = findLineColumn(columns);
  if (lines === null || lines.values.length === 0) return [];
  const labels = findColumn(columns, ["labels", "__labels"]);
  const types = findColumn(columns, ["labeltypes"]);
  const readTime = createTimeReader(columns);
  return lines.values.map((line, row) => ({
    timeNs: readTime(row),
    ...sortLabels(
      toLabels(labels === null ? lines.labels : labels.values[row]),
      toLabels(types?.values[row] ?? null),
    ),
    line: typeof line === "string" ? line : JSON.stringify(line ?? ""),
  }));
}

/** The host's types of labels: I is indexed, S structured metadata, P parsed. */
function sortLabels(labels: Record<string, string>, types: Record<string, string>): EntryLabels {
  const pick = (type: string) =>
    Object.fromEntries(Object.entries(labels).filter(([name]) => types[name] === type));
  const [metadata, parsed] = [pick("S"), pick("P")];
  const isApart = (name: string) => Object.hasOwn(metadata, name) || Object.hasOwn(parsed, name);
  return {
    labels: Object.fromEntries(Object.entries(labels).filter(([name]) => !isApart(name))),
    ...(Object.keys(metadata).length > 0 && { metadata }),
    ...(Object.keys(parsed).length > 0 && { parsed }),
  };
}
