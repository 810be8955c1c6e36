import { z } from "zod";

const hourMs = 3_600_000;
const hoursKept = 24;
const slotMs = 300_000;
const slotsKept = 12;
/** A bucket of latencies is this much longer than the one before, so a percentile is right to about 10 %. */
const bucketRatio = 1.2;

/** The calls of a row in the last day: by the hour with their latencies, and in parts of the last hour. */
export type RowCounts = {
  hours: { at: number; calls: number; errors: number; latencies: Map<number, number> }[];
  slots: { at: number; calls: number; errors: number }[];
};

export type RowFigures = {
  calls: number;
  errors: number;
  p95Ms: number | null;
  recentCalls: number;
  recentErrors: number;
  /** When they change without a call; epoch ms. Null without calls. */
  rollsAt: number | null;
};

const storedSchema = z.object({
  h: z.array(z.tuple([z.number(), z.number(), z.number(), z.array(z.number())])),
  m: z.array(z.tuple([z.number(), z.number(), z.number()])),
});

export function readCounts(text: string): RowCounts {
  const { h, m } = storedSchema.parse(JSON.parse(text));
  return {
    hours: h.map(([at, calls, errors, pairs]) => {
      const latencies = new Map<number, number>();
      for (let i = 0; i < pairs.length; i += 2) latencies.set(pairs[i] ?? 0, pairs[i + 1] ?? 0);
      return { at, calls, errors, latencies };
    }),
    slots: m.map(([at, calls, errors]) => ({ at, calls, errors })),
  };
}

export function writeCounts({ hours, slots }: RowCounts): string {
  return JSON.stringify({
    h: hours.map(({ at, calls, errors, latencies }) => [at, calls, errors, [...latencies].flat()]),
    m: slots.map(({ at, calls, errors }) => [at, calls, errors]),
  });
}

export const noCounts = writeCounts({ hours: [], slots: [] });

export type CountedCall = {
  endedAt: number;
  latencyMs: number;
  isError: boolean;
  /** Whether the state of the row may depend on it: not a call with other values, or one that was denied. */
  countsForState: boolean;
};

export function addCall(counts: RowCounts, call: CountedCall): void {
  const hour = findPart(counts.hours, Math.floor(call.endedAt / hourMs), (at) => ({
    at,
    calls: 0,
    errors: 0,
    latencies: new Map(),
  }));
  hour.calls += 1;
  if (call.isError) hour.errors += 1;
  const bucket = Math.round(Math.log(call.latencyMs + 1) / Math.log(bucketRatio));
  hour.latencies.set(bucket, (hour.latencies.get(bucket) ?? 0) + 1);
  if (!call.countsForState) return;
  const at = Math.floor(call.endedAt / slotMs);
  const slot = findPart(counts.slots, at, () => ({ at, calls: 0, errors: 0 }));
  slot.calls += 1;
  if (call.isError) slot.errors += 1;
}

function findPart<Part extends { at: number }>(
  parts: Part[],
  at: number,
  make: (at: number) => Part,
): Part {
  const known = parts.findLast((part) => part.at === at);
  if (known !== undefined) return known;
  const made = make(at);
  parts.push(made);
  return made;
}

/** Drops what is too old, and sums the rest. */
export function rollCounts(counts: RowCounts, now: number): RowFigures {
  const [hour, slot] = [Math.floor(now / hourMs), Math.floor(now / slotMs)];
  counts.hours = counts.hours.filter(({ at }) => at > hour - hoursKept);
  counts.slots = counts.slots.filter(({ at }) => at > slot - slotsKept);
  const rolls = [
    ...counts.hours.map(({ at }) => (at + hoursKept) * hourMs),
    ...counts.slots.map(({ at }) => (at + slotsKept) * slotMs),
  ];
  return {
    calls: sum(counts.hours, "calls"),
    errors: sum(counts.hours, "errors"),
    p95Ms: findPercentile(counts.hours),
    recentCalls: sum(counts.slots, "calls"),
    recentErrors: sum(counts.slots, "errors"),
    rollsAt: rolls.length === 0 ? null : Math.min(...rolls),
  };
}

function sum<Name extends string>(parts: readonly Record<Name, number>[], name: Name): number {
  return parts.reduce((total, part) => total + part[name], 0);
}

/** The middle of the bucket that the slowest of 95 % of the calls is in. */
function findPercentile(hours: RowCounts["hours"]): number | null {
  const all = new Map<number, number>();
  let calls = 0;
  for (const { latencies } of hours) {
    for (const [bucket, count] of latencies) {
      all.set(bucket, (all.get(bucket) ?? 0) + count);
      calls += count;
    }
  }
  let seen = 0;
  for (const [bucket, count] of [...all].sort(([one], [other]) => one - other)) {
    seen += count;
    if (seen >= calls * 0.95) return Math.round(bucketRatio ** bucket - 1);
  }
  return null;
}
