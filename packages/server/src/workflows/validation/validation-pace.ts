import { yieldToEventLoop } from "../../lib/time/yield-to-event-loop.ts";

/** Other work waits at most this long, and the longest single step. */
const sliceMs = 10;

/** Called between steps of long work: it lets the event loop run other work at times. */
export type Pace = () => Promise<void> | undefined;

export function createPace(): Pace {
  let startedAtMs = performance.now();
  return () => {
    if (performance.now() - startedAtMs < sliceMs) return undefined;
    return yieldToEventLoop().then(() => {
      startedAtMs = performance.now();
    });
  };
}
