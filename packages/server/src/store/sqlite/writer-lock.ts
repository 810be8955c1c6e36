import { AsyncLocalStorage } from "node:async_hooks";
import { HubError } from "../../errors.ts";

/** Gives the single writing connection to one holder at a time, in the order of requests. */
export type WriterLock = {
  /** Rejects inside `holdWhile`, where it would wait for itself, and after the lock is closed. */
  acquire(): Promise<void>;
  release(): void;
  /** Runs `work` as the holder of the lock. */
  holdWhile<T>(work: () => Promise<T>): Promise<T>;
  /** Throws where `acquire` would reject. */
  check(): void;
  /** Resolves when the last holder is done; later requests are refused. */
  close(): Promise<void>;
};

export function createWriterLock(): WriterLock {
  const waiting: Array<() => void> = [];
  const holding = new AsyncLocalStorage<{ over: boolean }>();
  let taken = false;
  let closed = false;

  function check(): void {
    if (closed) throw new HubError("internal", "The hub is stopping. Try again in a moment.");
    if (holding.getStore()?.over !== false) return;
    throw new Error(
      "Inside a transaction of the store, use only the transaction that it gives you.",
    );
  }

  async function take(): Promise<void> {
    if (taken) await new Promise<void>((resolve) => waiting.push(resolve));
    taken = true;
  }

  return {
    check,
    async acquire() {
      check();
      await take();
    },
    close() {
      closed = true;
      return take();
    },
    release() {
      // Passed on without a release, so that a new request cannot overtake a waiting one.
      const next = waiting.shift();
      if (next === undefined) taken = false;
      else next();
    },
    async holdWhile(work) {
      const hold = { over: false };
      try {
        return await holding.run(hold, work);
      } finally {
        hold.over = true;
      }
    },
  };
}
