import { yieldToEventLoop } from "./yield-to-event-loop.ts";

/**
 * Shares the event loop between outside systems that send as much as they like. What all of them together
 * cost in one turn of the loop is limited, and then they take turns.
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
  /** Those that wait, by owner, in the order of their turns. */
  const waiting = new Map<string, Waiter[]>();
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
    while (left < turnSteps || waiting.size > 0) {
      await yieldTurn();
      left = Math.min(turnSteps, left + turnSteps);
      beginWaiting();
    }
    isTurning = false;
  }

  function beginWaiting(): void {
    for (let first = waiting.entries().next().value; first && left > 0; ) {
      const [owner, waiters] = first;
      if (!mayBegin(waiters[0]?.steps ?? 0)) return;
      const waiter = waiters.shift();
      waiting.delete(owner);
      // The others have their turns first.
      if (waiters.length > 0) waiting.set(owner, waiters);
      if (waiter !== undefined) {
        left = Math.max(left - waiter.steps, -emptyTurnsMax * turnSteps);
        waiter.begin();
      }
      first = waiting.entries().next().value;
    }
  }

  return {
    take(owner, steps) {
      if (waiting.size === 0 && steps < turnSteps && mayBegin(steps)) {
        spend(steps);
        return null;
      }
      const { promise, resolve } = Promise.withResolvers<void>();
      const waiters = waiting.get(owner);
      if (waiters === undefined) waiting.set(owner, [{ steps, begin: resolve }]);
      else waiters.push({ steps, begin: resolve });
      startTurns();
      return promise;
    },
  };
}
