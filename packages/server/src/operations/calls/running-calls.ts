import { HubError } from "../../errors.ts";

/** The running calls of this process, so that an admin or another request can cancel one. */
export type RunningCalls = {
  /** Adds a call. The returned function removes it. */
  enter(runId: string, stop: (reason: HubError) => void): () => void;
  /** Cancels a call. Returns false if it does not run in this process. */
  cancel(runId: string, reason: string): boolean;
  count(): number;
};

export function createRunningCalls(): RunningCalls {
  const stops = new Map<string, (reason: HubError) => void>();
  return {
    enter(runId, stop) {
      stops.set(runId, stop);
      return () => stops.delete(runId);
    },
    cancel(runId, reason) {
      const stop = stops.get(runId);
      stop?.(new HubError("cancelled", reason));
      return stop !== undefined;
    },
    count: () => stops.size,
  };
}
