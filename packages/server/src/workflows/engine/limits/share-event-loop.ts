import { createLanes } from "../../../lib/queues/fair-semaphore.ts";
import { yieldToEventLoop } from "../../../lib/time/yield-to-event-loop.ts";

/** Shares the event loop between the runs that compute, and with everything else that the process does. */
export type EventLoopShares = {
  /**
   * Runs `compute` now, or in a later time slice. The owners of runs alternate, and after each slice the
   * event loop does other work first.
   */
  run<T>(ownerId: string, compute: () => T | Promise<T>): T | Promise<T>;
};

type ShareDeps = {
  /** A clock, in ms. */
  now?: () => number;
  endSlice?: () => Promise<void>;
};

/** A longer computation holds the event loop alone. */
const sliceMsMax = 10;

export function shareEventLoop(deps: ShareDeps = {}): EventLoopShares {
  const { now = () => performance.now(), endSlice = yieldToEventLoop } = deps;
  const lanes = createLanes<() => void>();
  let sliceStart: number | null = null;

  const isOver = () => sliceStart !== null && now() - sliceStart >= sliceMsMax;

  /** Starts with the first computation of a slice, and runs until none waits. */
  async function runSlices(): Promise<void> {
    sliceStart = now();
    do {
      await endSlice();
      sliceStart = now();
      while (!isOver()) {
        const next = lanes.takeNext();
        if (next === null) break;
        next.item();
        lanes.end(next.line);
        // Its continuations count too.
        await null;
      }
    } while (lanes.countWaiting() > 0);
    sliceStart = null;
  }

  return {
    run(ownerId, compute) {
      if (sliceStart === null) void runSlices();
      if (lanes.countWaiting() === 0 && !isOver()) return compute();
      return new Promise((resolve, reject) => {
        lanes.add({ owner: ownerId }, () => {
          // Async, so that what it throws rejects.
          (async () => compute())().then(resolve, reject);
        });
      });
    },
  };
}
