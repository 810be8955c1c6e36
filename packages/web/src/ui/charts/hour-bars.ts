import type { RunStatus } from "@hub/contract/run.ts";

/** One bar of the chart: the calls of an hour by outcome. */
export type HourBar = { atMs: number; total: number; byStatus: Partial<Record<RunStatus, number>> };

type Summary = {
  from: string;
  to: string;
  series: ReadonlyArray<{ at: string; runs: number; by_status: HourBar["byStatus"] }>;
};

const hourMs = 3_600_000;
const barsMax = 168;

/** A bar for each hour, also for those without calls. Spans of more than a week have longer bars. */
export function toBars({ from, to, series }: Summary): { bars: HourBar[]; stepMs: number } {
  const startMs = Date.parse(from);
  const hours = Math.max(1, Math.round((Date.parse(to) - startMs) / hourMs));
  const stepMs = Math.ceil(hours / barsMax) * hourMs;
  const count = Math.ceil((hours * hourMs) / stepMs);
  const bars = Array.from({ length: count }, (_, index): HourBar => {
    return { atMs: startMs + index * stepMs, total: 0, byStatus: {} };
  });
  for (const { at, runs, by_status } of series) {
    const bar = bars[Math.floor((Date.parse(at) - startMs) / stepMs)];
    if (bar === undefined) continue;
    bar.total += runs;
    for (const [status, number] of Object.entries(by_status)) {
      // The keys of the record are statuses.
      const key = status as RunStatus;
      bar.byStatus[key] = (bar.byStatus[key] ?? 0) + number;
    }
  }
  return { bars, stepMs };
}

/** A round number at or above the largest bar, for the scale. Half of it is a whole number. */
export function toScaleMax(largest: number): number {
  const small = [4, 6, 8, 10].find((step) => step >= largest);
  if (small !== undefined) return small;
  const tenth = 10 ** (Math.floor(Math.log10(largest)) - 1);
  return (
    ([10, 12, 16, 20, 24, 30, 40, 50, 60, 80].find((step) => step * tenth >= largest) ?? 100) *
    tenth
  );
}
