import type { Line, Place } from "./turn-lines.ts";
import { createTurns, type LimitName, type Limits } from "./turns.ts";

/**
 * Limits jobs that run at once. Further jobs wait, and take turns by lane, area and owner. If too many
 * wait, a new job replaces one of the area with the most, so that no sender fills the queue.
 */
export type FairQueue = {
  /** Begins the job if it need not wait. The function ends it. Null if it must wait. */
  tryEnter(place: Place): (() => void) | null;
  /**
   * Resolves when the job may begin, with the function that ends it. Rejects with the reason of the
   * signal, or if too many jobs wait.
   */
  enter(place: Place, signal?: AbortSignal): Promise<() => void>;
  /** Throws if `enter` would reject now, because too many jobs wait. */
  checkRoom(place: Place): void;
  countRunning(): number;
  countWaiting(): number;
};

type QueueOptions = {
  atOnce: Limits;
  /** By default, any number of jobs waits. */
  waiting?: {
    max: Limits;
    /** The error of a job that cannot wait, because this limit is reached, or that was replaced. */
    refuse(limit: LimitName): Error;
  };
};

type Waiting = { begin(): void; refuse(reason: Error): void };

export function createFairQueue({ atOnce, waiting }: QueueOptions): FairQueue {
  const turns = createTurns<Waiting>({ atOnce, ...(waiting && { waiting: waiting.max }) });

  const refuse = (limit: LimitName) =>
    waiting?.refuse(limit) ?? new Error("A queue without a limit is full.");

  function tryEnter(place: Place): (() => void) | null {
    const line = turns.begin(place);
    return line === null ? null : toLeave(line);
  }

  function toLeave(line: Line<Waiting>): () => void {
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      turns.end(line);
      beginNext();
    };
  }

  /** At once, so that no newcomer overtakes. */
  function beginNext(): void {
    for (let next = turns.takeNext(); next !== null; next = turns.takeNext()) next.item.begin();
  }

  function makeRoom(place: Place): void {
    const full = turns.findFull(place);
    if (full === null) return;
    const reason = refuse(full.limit);
    if (full.replaceable === null) throw reason;
    turns.remove(full.replaceable);
    full.replaceable.item.refuse(reason);
  }

  function wait(place: Place, signal: AbortSignal | undefined): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        turns.remove(turn);
        reject(signal?.reason);
      };
      const turn = turns.add(place, {
        begin() {
          signal?.removeEventListener("abort", onAbort);
          resolve(toLeave(turn.line));
        },
        refuse(reason) {
          signal?.removeEventListener("abort", onAbort);
          reject(reason);
        },
      });
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  return {
    tryEnter,
    async enter(place, signal) {
      signal?.throwIfAborted();
      const leave = tryEnter(place);
      if (leave !== null) return leave;
      makeRoom(place);
      return await wait(place, signal);
    },
    checkRoom(place) {
      const full = turns.findFull(place);
      if (full !== null && full.replaceable === null) throw refuse(full.limit);
    },
    countRunning: () => turns.countRunning(),
    countWaiting: () => turns.countWaiting(),
  };
}
