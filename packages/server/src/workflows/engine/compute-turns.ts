import { createTurns } from "../../lib/turns.ts";
import { yieldToEventLoop } from "../../lib/yield-to-event-loop.ts";

/** Shares the event loop between the runs that compute, and with everything else that the process does. */
export type ComputeSlices = {
  /**
   * Runs `compute` now, or when it is its turn. The owners of runs take turns, and after some time the
   * event loop does other work first.
   */
  run<T>(ownerId: string, compute: () => T | Promise<T>): T | Promise<T>;
};

type SliceDeps = {
  /** A clock, in ms. */
  now?: () => number;
  endSlice?: () => Promise<void>;
};

/** A longer computation holds the event loop alone. */
const sliceMsMax = 10;

export function createComputeSlices(deps: SliceDeps = {}): ComputeSlices {
  const { now = () => performance.now(), endSlice = yieldToEventLoop } = deps;
  const lanes = createTurns<() => void>();
  let sliceStart: number | null = null;

  const isOver = () => sliceStart !== null && now() - sliceStart >= sliceMsMax;

  /** Begins with the first computation of a turn, and goes on until none waits. */
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
        // What follows from it counts too.
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
