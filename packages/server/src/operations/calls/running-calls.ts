import { HubError } from "../../errors.ts";

/** The running calls of this process, so that an admin or another request can cancel one. */
export type RunningCalls = {
  /**
   * Adds a call. The returned function removes it. `outlast` is called once, if the call still runs in the next turn of
   * the event loop.
   */
  enter(runId: string, stop: (reason: HubError) => void, outlast?: () => void): () => void;
  /** Cancels a call. Returns false if it does not run in this process. */
  cancel(runId: string, reason: string): boolean;
  count(): number;
};

export function createRunningCalls(): RunningCalls {
  const stops = new Map<string, (reason: HubError) => void>();
  /** Of the calls that have begun in this turn. */
  const begun = new Set<() => void>();

  function endTurn(): void {
    for (const outlast of begun) outlast();
    begun.clear();
  }

  return {
    enter(runId, stop, outlast) {
      stops.set(runId, stop);
      if (outlast === undefined) return () => stops.delete(runId);
      // One for all calls of the turn.
      if (begun.size === 0) setImmediate(endTurn);
      begun.add(outlast);
      return () => {
        stops.delete(runId);
        begun.delete(outlast);
      };
    },
    cancel(runId, reason) {
      const stop = stops.get(runId);
      stop?.(new HubError("cancelled", reason));
      return stop !== undefined;
    },
    count: () => stops.size,
  };
}
