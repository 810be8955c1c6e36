import { createLanes, type LimitName, type Limits } from "./fair-semaphore.ts";
import type { Line, QueueKey } from "./semaphore-lanes.ts";

/**
 * Limits jobs that run at once. Further jobs wait, and start round-robin by lane, area and owner. If too many
 * wait, a new job replaces one of the area with the most, so that no sender fills the queue.
 */
export type FairQueue = {
  /** Begins the job if it need not wait. The function ends it. Null if it must wait. */
  tryEnter(queueKey: QueueKey): (() => void) | null;
  /**
   * Resolves when the job may begin, with the function that ends it. Rejects with the reason of the
   * signal, or if too many jobs wait.
   */
  enter(queueKey: QueueKey, signal?: AbortSignal): Promise<() => void>;
  /** Throws if `enter` would reject now, because too many jobs wait. */
  checkCapacity(queueKey: QueueKey): void;
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
  const lanes = createLanes<Waiting>({ atOnce, ...(waiting && { waiting: waiting.max }) });

  const refuse = (limit: LimitName) =>
    waiting?.refuse(limit) ?? new Error("A queue without a limit is full.");

  function tryEnter(queueKey: QueueKey): (() => void) | null {
    const line = lanes.begin(queueKey);
    return line === null ? null : toRelease(line);
  }

  function toRelease(line: Line<Waiting>): () => void {
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      lanes.end(line);
      beginNext();
    };
  }

  /** At once, so that no newcomer overtakes. */
  function beginNext(): void {
    for (let next = lanes.takeNext(); next !== null; next = lanes.takeNext()) next.item.begin();
  }

  function freeCapacity(queueKey: QueueKey): void {
    const full = lanes.findFull(queueKey);
    if (full === null) return;
    const reason = refuse(full.limit);
    if (full.replaceable === null) throw reason;
    lanes.remove(full.replaceable);
    full.replaceable.item.refuse(reason);
  }

  function wait(queueKey: QueueKey, signal: AbortSignal | undefined): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        lanes.remove(entry);
        reject(signal?.reason);
      };
      const entry = lanes.add(queueKey, {
        begin() {
          signal?.removeEventListener("abort", onAbort);
          resolve(toRelease(entry.line));
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
    async enter(queueKey, signal) {
      signal?.throwIfAborted();
      const release = tryEnter(queueKey);
      if (release !== null) return release;
      freeCapacity(queueKey);
      return await wait(queueKey, signal);
    },
    checkCapacity(queueKey) {
      const full = lanes.findFull(queueKey);
      if (full !== null && full.replaceable === null) throw refuse(full.limit);
    },
    countRunning: () => lanes.countRunning(),
    countWaiting: () => lanes.countWaiting(),
  };
}
