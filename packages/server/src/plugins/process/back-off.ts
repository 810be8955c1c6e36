import type { Timers } from "../../lib/time/timers.ts";

const firstDelayMs = 1000;
const delayMsMax = 60_000;
/** After this time without a crash, the count starts again. */
const stableMs = 60_000;

/** Delays the start of a plugin after crashes. */
export type BackOff = {
  /** Milliseconds until it may start. */
  remainingMs(): number;
  /** Number of crashes in a row. */
  crashes(): number;
  /** Counts a crash or a failed start. Returns the delay before the next start. */
  recordCrash(run: { livedMs: number; answered: boolean }): number;
  reset(): void;
};

export function createBackOff(timers: Pick<Timers, "now">): BackOff {
  let crashes = 0;
  let retryAt = 0;
  return {
    remainingMs: () => Math.max(0, retryAt - timers.now()),
    crashes: () => crashes,
    recordCrash({ livedMs, answered }) {
      if (livedMs >= stableMs) crashes = 0;
      crashes += 1;
      // The first crash of a plugin that has worked causes no delay.
      const delays = answered ? crashes - 1 : crashes;
      const delayMs = delays === 0 ? 0 : Math.min(firstDelayMs * 2 ** (delays - 1), delayMsMax);
      retryAt = timers.now() + delayMs;
      return delayMs;
    },
    reset() {
      crashes = 0;
      retryAt = 0;
    },
  };
}
