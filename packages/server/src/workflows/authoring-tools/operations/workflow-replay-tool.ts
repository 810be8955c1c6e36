import { wick } from "@hub/connector";
import { defineOperation, type OperationDeps } from "../define-operation.ts";
import { runId, waitS, workflowId } from "../input-fields.ts";

export function defineWorkflowReplay(deps: OperationDeps) {
  return defineOperation({
    name: "Replay a run",
    description:
      "Start a new run with the event of an earlier one.\n\nUse it after a correction: with draft, the draft runs with the real event that failed. The first run stays as it is; what it did is done again, so confirm with the user. Only for the owner and admins, a draft only for the owner. Returns the new run as workflow_run_now does.",
    destructive: true,
    input: {
      workflow_id: workflowId,
      run_id: runId,
      draft: wick.bool("desc=Run the draft instead of the published version."),
      wait_s: waitS,
    },
    async run({ params, ...call }) {
      const { replayNow } = await import("../replay-now.ts");
      const { workflow_id: workflow, run_id: run, draft, wait_s: seconds } = params;
      return await replayNow(deps, call, {
        workflow,
        run,
        isDraft: draft === true,
        waitS: seconds ?? 0,
      });
    },
  });
}
