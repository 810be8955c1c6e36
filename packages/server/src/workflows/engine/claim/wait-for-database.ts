import { HubError } from "../../../errors.ts";
import type { Timers } from "../../../lib/time/timers.ts";
import { LeaseLostError } from "./lease-lost-error.ts";

/**
 * Does work that reads the database, and does it again while the database cannot be used: a run waits for
 * a full disk or a server that restarts, and does not fail for it. Throws LeaseLostError when the process
 * gives up its runs.
 */
export type WaitForDatabase = <T>(work: () => Promise<T>) => Promise<T>;

type WaitDeps = {
  timers: Pick<Timers, "after">;
  /** Aborts when the process gives up its runs. */
  givesUp: AbortSignal;
};

const pauseMs = 250;

export function createWaitForDatabase({ timers, givesUp }: WaitDeps): WaitForDatabase {
  return async (work) => {
    for (;;) {
      try {
        return await work();
      } catch (err) {
        if (!isUnavailable(err)) throw err;
        if (givesUp.aborted) throw new LeaseLostError("", { cause: err });
        await pause(timers);
      }
    }
  };
}

/** Whether the database cannot be used now, or its disk has no space for new work. Both can pass. */
export function isUnavailable(err: unknown): boolean {
  return err instanceof HubError && ["unavailable", "insufficient_storage"].includes(err.code);
}

export function pause(timers: Pick<Timers, "after">): Promise<void> {
  return new Promise((resolve) => timers.after(pauseMs, resolve));
}
