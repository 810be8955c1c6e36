import { defineOperation, type OperationDeps } from "../define-operation.ts";
import { workflowId } from "../input-fields.ts";

export function defineWorkflowGet(deps: OperationDeps) {
  return defineOperation({
    name: "Show a workflow",
    description:
      "Show one workflow.\n\nReturns what workflow_list shows, and manual_triggers: how you can start it, each with its id and the JSON Schema of the payload for workflow_run_now. The owner and admins also get body, which is the draft (triggers, nodes and edges), and the names of its secrets; for others these are null.",
    reads: true,
    input: { workflow_id: workflowId },
    async run({ caller, params }) {
      const { showWorkflow } = await import("../../definition/list-workflows.ts");
      const { listManualTriggers } = await import("../../runs/start/list-manual-triggers.ts");
      const shown = await showWorkflow(deps, caller, params.workflow_id);
      const triggers = await listManualTriggers(deps, caller, params.workflow_id);
      return { ...shown, manual_triggers: triggers };
    },
  });
}
