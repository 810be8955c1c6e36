import type { Timers } from "../time/timers.ts";

/** Whether one more line of a kind may be written, and a note about omitted lines. */
export type Verdict = { isAllowed: boolean; note: string | null };

export type LineBudget = { take(kind: string): Verdict };

const linesPerMinuteDefault = 600;
const minuteMs = 60_000;
/** Beyond this number, further kinds share one budget. */
const kindsMax = 1_000;

type Minute = { startedAtMs: number; count: number };

/**
 * Limits the lines per minute and kind: failing calls and verbose connectors must not fill the disk or
 * hide the rest of the log.
 */
export function createLineBudget(deps: {
  timers: Pick<Timers, "now">;
  linesPerMinute?: number;
}): LineBudget {
  const { timers, linesPerMinute = linesPerMinuteDefault } = deps;
  const minutes: Map<string, Minute> = new Map();

  function findMinute(kind: string): Minute {
    const known = minutes.get(kind);
    if (known !== undefined) return known;
    const key = minutes.size < kindsMax ? kind : "";
    const minute = minutes.get(key) ?? { startedAtMs: timers.now(), count: 0 };
    minutes.set(key, minute);
    return minute;
  }

  return {
    take(kind) {
      const minute = findMinute(kind);
      const nowMs = timers.now();
      let note: string | null = null;
      if (nowMs - minute.startedAtMs >= minuteMs) {
        const leftOut = minute.count - linesPerMinute;
        if (leftOut > 0) note = `${leftOut} lines like the next one were omitted`;
        minute.startedAtMs = nowMs;
        minute.count = 0;
      }
      minute.count += 1;
      if (minute.count === linesPerMinute + 1) {
        note = `More than ${linesPerMinute} such lines in a minute: further ones are omitted`;
      }
      return { isAllowed: minute.count <= linesPerMinute, note };
    },
  };
}
