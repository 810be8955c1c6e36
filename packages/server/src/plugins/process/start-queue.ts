import { HubError } from "../../errors.ts";
import { raceAbort } from "./race-abort.ts";

/** Calls that may wait for processes to start. */
const waitingMax = 1000;

/** Limits the calls that wait for plugins to start, over all plugins. */
export type StartQueue = {
  /** Waits for the start or the abort of the call. Rejects with `plugin_unavailable`. */
  wait(starting: Promise<void>, signal: AbortSignal): Promise<void>;
};

export function createStartQueue(): StartQueue {
  let waiting = 0;
  return {
    async wait(starting, signal) {
      if (waiting >= waitingMax) {
        throw new HubError(
          "plugin_unavailable",
          "Too many calls are waiting for plugins to start. Try again in a few seconds.",
        );
      }
      waiting += 1;
      try {
        await raceAbort(starting, signal);
      } finally {
        waiting -= 1;
      }
    },
  };
}
