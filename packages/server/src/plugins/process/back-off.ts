import type { Timers } from "../../lib/timers.ts";

const firstDelayMs = 1000;
const delayMsMax = 60_000;
/** So long without a crash, and the next one is the first again. */
const stableMs = 60_000;

/** How one plugin's crashes delay its next start. */
export type BackOff = {
  /** Milliseconds until it may be started. */
  remainingMs(): number;
  /** How often it has crashed in a row. */
  crashes(): number;
  /** It ended unasked, or did not start. Returns the delay before the next start. */
  noteCrash(run: { livedMs: number; answered: boolean }): number;
  reset(): void;
};

export function createBackOff(timers: Pick<Timers, "now">): BackOff {
  let crashes = 0;
  let retryAt = 0;
  return {
    remainingMs: () => Math.max(0, retryAt - timers.now()),
    crashes: () => crashes,
    noteCrash({ livedMs, answered }) {
      if (livedMs >= stableMs) crashes = 0;
      crashes += 1;
      // A plugin that has worked and is killed once has to be there for the next call.
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
