import { HubError } from "../errors.ts";

/** The calls that run in this process, so that somebody else than their client can stop one. */
export type RunningCalls = {
  /** Enters a call; what it returns takes it out again. */
  enter(runId: string, stop: (reason: HubError) => void): () => void;
  /** Stops a call. False when it does not run here. */
  cancel(runId: string, reason: string): boolean;
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
  };
}
