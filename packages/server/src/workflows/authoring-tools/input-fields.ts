import { wick } from "@hub/connector";
import type { WorkflowRunState } from "@hub/contract/workflow-run.ts";

const listMax = 100;

/** Fields that several operations have. */
export const workflowId = wick(
  "required;desc=The id of the workflow, from workflow_list. It is no name.",
);
export const runId = wick(
  "required;desc=The id of the run, from workflow_runs or workflow_run_now.",
);
export const revision = wick.int(
  "required;desc=The revision of the draft that you read or saved last.",
);
export const waitS = wick.float("desc=How long to wait for the end of the run, 0 to 30 seconds.");
export const limit = wick.int(`default=20;desc=How many to list, 1 to ${listMax}.`);
export const after = wick("desc=The next of the previous page.");

export function toPage(params: { limit: number | bigint | object; after?: string | undefined }) {
  return { limit: Math.min(Math.max(Number(params.limit), 1), listMax), after: params.after };
}

export function toState(state: string | undefined): WorkflowRunState | undefined {
  // The dropdown allows only these values.
  return state as WorkflowRunState | undefined;
}
