import { yieldToEventLoop } from "../../lib/yield-to-event-loop.ts";

/** Shares the event loop between the runs that compute, and with everything else that the process does. */
export type ComputeTurns = {
  /**
   * Runs `compute` now, or when it is its turn. The owners of runs take turns, and after some time the
   * event loop does other work first.
   */
  run<T>(ownerId: string, compute: () => T | Promise<T>): T | Promise<T>;
};

type TurnsDeps = {
  /** A clock, in ms. */
  now?: () => number;
  yieldTurn?: () => Promise<void>;
};

/** A longer computation holds the event loop alone. */
const turnMsMax = 10;

export function createComputeTurns(deps: TurnsDeps = {}): ComputeTurns {
  const { now = () => performance.now(), yieldTurn = yieldToEventLoop } = deps;
  /** Waiting computations of each owner, in round-robin order of the owners. */
  const waiting = new Map<string, Array<() => void>>();
  let turnStart: number | null = null;

  const isOver = () => turnStart !== null && now() - turnStart >= turnMsMax;

  function takeNext(): (() => void) | null {
    for (const [ownerId, computations] of waiting) {
      const next = computations.shift();
      waiting.delete(ownerId);
      // The owner moves to the end of the queue.
      if (computations.length > 0) waiting.set(ownerId, computations);
      if (next !== undefined) return next;
    }
    return null;
  }

  /** Begins with the first computation of a turn, and goes on until none waits. */
  async function keepTurns(): Promise<void> {
    turnStart = now();
    do {
      await yieldTurn();
      turnStart = now();
      while (!isOver()) {
        const next = takeNext();
        if (next === null) break;
        next();
        // What follows from it counts too.
        await null;
      }
    } while (waiting.size > 0);
    turnStart = null;
  }

  return {
    run(ownerId, compute) {
      if (turnStart === null) void keepTurns();
      if (waiting.size === 0 && !isOver()) return compute();
      return new Promise((resolve, reject) => {
        const own = waiting.get(ownerId) ?? [];
        own.push(() => {
          // Async, so that what it throws rejects.
          (async () => compute())().then(resolve, reject);
        });
        waiting.set(ownerId, own);
      });
    },
  };
}
