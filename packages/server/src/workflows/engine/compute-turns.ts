import { createLanes } from "../../lib/turns.ts";
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
  const turns = createLanes<() => void>();
  let turnStart: number | null = null;

  const isOver = () => turnStart !== null && now() - turnStart >= turnMsMax;

  /** Begins with the first computation of a turn, and goes on until none waits. */
  async function keepTurns(): Promise<void> {
    turnStart = now();
    do {
      await yieldTurn();
      turnStart = now();
      while (!isOver()) {
        const next = turns.takeNext();
        if (next === null) break;
        next.item();
        turns.end(next.line);
        // What follows from it counts too.
        await null;
      }
    } while (turns.countWaiting() > 0);
    turnStart = null;
  }

  return {
    run(ownerId, compute) {
      if (turnStart === null) void keepTurns();
      if (turns.countWaiting() === 0 && !isOver()) return compute();
      return new Promise((resolve, reject) => {
        turns.add({ owner: ownerId }, () => {
          // Async, so that what it throws rejects.
          (async () => compute())().then(resolve, reject);
        });
      });
    },
  };
}
