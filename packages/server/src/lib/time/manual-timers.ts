import type { Timers } from "./timers.ts";

type Alarm = { at: number; action: () => void };

type ManualTimers = Timers & {
  advance(byMs: number): void;
  /** Number of pending timers. */
  pending(): number;
};

/** A clock that a test advances. */
export function createManualTimers(startMs = 0): ManualTimers {
  let nowMs = startMs;
  const alarms: Set<Alarm> = new Set();
  return {
    now: () => nowMs,
    after(delayMs, action) {
      const alarm = { at: nowMs + delayMs, action };
      alarms.add(alarm);
      return () => {
        alarms.delete(alarm);
      };
    },
    advance(byMs) {
      const untilMs = nowMs + byMs;
      for (let due = findNextDue(alarms, untilMs); due; due = findNextDue(alarms, untilMs)) {
        alarms.delete(due);
        nowMs = due.at;
        due.action();
      }
      nowMs = untilMs;
    },
    pending: () => alarms.size,
  };
}

function findNextDue(alarms: Iterable<Alarm>, untilMs: number): Alarm | undefined {
  return [...alarms].filter(({ at }) => at <= untilMs).sort((a, b) => a.at - b.at)[0];
}
