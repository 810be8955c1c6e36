import { HubError } from "../../errors.ts";
import { raceAbort } from "./race-abort.ts";

/** So many calls may wait for a process to start. */
const waitingMax = 1000;

/** The calls that wait for plugins to start, over all plugins. */
export type StartLine = {
  /** Waits for the start, as long as the call is wanted. Rejects with `plugin_unavailable`. */
  wait(starting: Promise<void>, signal: AbortSignal): Promise<void>;
};

export function createStartLine(): StartLine {
  let waiting = 0;
  return {
    async wait(starting, signal) {
      if (waiting >= waitingMax) {
        throw new HubError(
          "plugin_unavailable",
          "Too many calls wait for plugins to start. Try again in a moment.",
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
