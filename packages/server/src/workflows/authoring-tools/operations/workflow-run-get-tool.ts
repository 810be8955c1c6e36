import { wick } from "@hub/connector";
import { defineOperation, type OperationDeps } from "../define-operation.ts";
import { runId, workflowId } from "../input-fields.ts";

export function defineWorkflowRunGet(deps: OperationDeps) {
  return defineOperation({
    name: "Show a run",
    description:
      "Show one run with its event and steps.\n\nUse it to follow a run, or to find out which step failed and why. The owner and admins see the event that started it and each step with input, output and error; for others these are null. Values are cut to 2 KiB each, and the first 200 steps are listed; pass node_id to get the steps of one node with values of up to 64 KiB.",
    reads: true,
    input: {
      workflow_id: workflowId,
      run_id: runId,
      node_id: wick("desc=Only the steps of this node."),
    },
    async run({ caller, params }) {
      const { readRunForModel } = await import("../read-run-for-model.ts");
      const { workflow_id: workflow, run_id: run, node_id: nodeId } = params;
      return await readRunForModel(deps, caller, { workflow, run }, nodeId);
    },
  });
}
