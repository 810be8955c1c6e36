import { type Json, toJsonText } from "@hub/connector";
import { fromRfc3339, toRfc3339 } from "../time/rfc3339.ts";
import type { Window } from "../time/window.ts";
import { type Column, readColumns, toLabels } from "./frame.ts";
import { createTimeReader, findTimeColumn } from "./frame-times.ts";
import { findLineColumn } from "./read-entries.ts";

/** One series of a metric query, for one set of labels. */
export type Series = { labels: Record<string, string>; points: Array<[time: string, value: Json]> };

/**
 * Reads the series of all frames with numbers. Points are aligned to the step, so the host may send points
 * outside the window. They are omitted unless there are no others.
 */
export function readSeries(frames: readonly Json[], window: Window): Series[] {
  const all = readAll(frames);
  const pointsInWindow = all.flatMap(({ labels, points }) => {
    const kept = points.filter(([at]) => isInside(at, window));
    return kept.length === 0 ? [] : [{ labels, points: kept }];
  });
  return pointsInWindow.length > 0 ? pointsInWindow : all;
}

function isInside(at: string, { startNs, endNs }: Window): boolean {
  const timeNs = fromRfc3339(at);
  return timeNs !== null && timeNs >= startNs && timeNs <= endNs;
}

function readAll(frames: readonly Json[]): Series[] {
  return frames.flatMap((frame) => {
    const columns = readColumns(frame);
    if (findLineColumn(columns) !== null) return [];
    const time = findTimeColumn(columns);
    if (time === null || time.values.length === 0) return [];
    const times = time.values.map((_, row) => toRfc3339(createTimeReader(columns)(row)));
    return columns.filter(isMeasured).map((column) => ({
      labels: toLabels(column.labels),
      points: times.map((at, row): [string, Json] => [at, column.values[row] ?? null]),
    }));
  });
}

/** Takes as many series as fit, and returns whether these are all. */
export function cutSeries(
  series: readonly Series[],
  { bytesMax, countMax }: { bytesMax: number; countMax: number },
): { shown: Series[]; isCut: boolean } {
  let bytes = 0;
  const shown = series.slice(0, countMax).filter((each, at) => {
    bytes += Buffer.byteLength(toJsonText(each)) + 1;
    return at === 0 || bytes <= bytesMax;
  });
  return { shown, isCut: shown.length < series.length };
}

function isMeasured({ type, name }: Column): boolean {
  return type === "number" && name !== "nanos";
}
