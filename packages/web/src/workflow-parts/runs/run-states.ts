import type { WorkflowRunState } from "@hub/contract/workflow-run.ts";

/** The states of runs in words. */
export const runStateNames: Record<WorkflowRunState, string> = {
  queued: "Queued",
  running: "Running",
  waiting: "Waiting",
  succeeded: "Succeeded",
  failed: "Failed",
  cancelled: "Cancelled",
  dropped: "Dropped",
  unknown: "Unknown",
};

const active: ReadonlySet<WorkflowRunState> = new Set(["queued", "running", "waiting"]);

/** Whether a run goes on. */
export function isActive({ state }: { state: WorkflowRunState }): boolean {
  return active.has(state);
}
