import { createLanes } from "../queues/fair-semaphore.ts";
import { yieldToEventLoop } from "./yield-to-event-loop.ts";

/**
 * Shares the event loop between outside systems that send as much as they like. What all of them together
 * cost in one turn of the loop is limited, and then they are served round-robin.
 */
export type LoopShares = {
  /**
   * Asks for some steps of work; a step is about a nanosecond. Returns null if the owner may work now, else a
   * promise to await first. Meanwhile the rest of what it sends stays with it. Work of a whole turn or more begins
   * in the next turn.
   */
  take(owner: string, steps: number): Promise<void> | null;
};

type SharesDeps = { yieldTurn?: () => Promise<void>; turnSteps?: number };

/** Some ten milliseconds. */
const turnStepsDefault = 5_000_000;
/** Work that cannot be divided, such as parsing one large message, is followed by at most this many empty turns. */
const emptyTurnsMax = 4;

type Waiter = { steps: number; begin(): void };

export function createLoopShares({
  yieldTurn = yieldToEventLoop,
  turnSteps = turnStepsDefault,
}: SharesDeps = {}): LoopShares {
  const lanes = createLanes<Waiter>();
  let left = turnSteps;
  let isTurning = false;

  /** What takes a turn or longer begins with a turn of its own. */
  const mayBegin = (steps: number) => left > 0 && (steps < turnSteps || left === turnSteps);

  function spend(steps: number): void {
    left = Math.max(left - steps, -emptyTurnsMax * turnSteps);
    startTurns();
  }

  function startTurns(): void {
    if (isTurning) return;
    isTurning = true;
    void turn();
  }

  async function turn(): Promise<void> {
    while (left < turnSteps || lanes.countWaiting() > 0) {
      await yieldTurn();
      left = Math.min(turnSteps, left + turnSteps);
      beginWaiting();
    }
    isTurning = false;
  }

  function beginWaiting(): void {
    for (let next = lanes.findNext(); next !== null && left > 0; next = lanes.findNext()) {
      const { steps, begin } = next.item;
      if (!mayBegin(steps)) return;
      lanes.takeNext();
      lanes.end(next.line);
      left = Math.max(left - steps, -emptyTurnsMax * turnSteps);
      begin();
    }
  }

  return {
    take(owner, steps) {
      if (lanes.countWaiting() === 0 && steps < turnSteps && mayBegin(steps)) {
        spend(steps);
        return null;
      }
      const { promise, resolve } = Promise.withResolvers<void>();
      lanes.add({ owner }, { steps, begin: resolve });
      startTurns();
      return promise;
    },
  };
}
