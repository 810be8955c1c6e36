import type { Timers } from "./timers.ts";

/** Whether one more line of a kind may be written, and what to say of those that were not. */
export type Verdict = { isAllowed: boolean; note: string | null };

export type LineBudget = { take(kind: string): Verdict };

const linesPerMinuteDefault = 600;
const minuteMs = 60_000;
/** Kinds are few; should they ever be chosen by somebody, they share one budget beyond this. */
const kindsMax = 1_000;

type Minute = { startedAtMs: number; count: number };

/**
 * Lets so many lines a minute and kind through: whoever can make the hub log, by calls that fail or
 * by a connector that tells too much, must not fill the disk, nor hide the rest of the log.
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
        if (leftOut > 0) note = `${leftOut} lines like the next one were left out`;
        minute.startedAtMs = nowMs;
        minute.count = 0;
      }
      minute.count += 1;
      if (minute.count === linesPerMinute + 1) {
        note = `More than ${linesPerMinute} lines a minute like the last ones: the rest is left out`;
      }
      return { isAllowed: minute.count <= linesPerMinute, note };
    },
  };
}
