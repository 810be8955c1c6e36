import { defineOperation, type OperationDeps } from "../define-operation.ts";
import { workflowId } from "../input-fields.ts";

export function defineWorkflowDisable(deps: OperationDeps) {
  return defineOperation({
    name: "Disable a workflow",
    description:
      "Stop the triggers of a workflow: its schedules, webhooks and events start nothing.\n\nRuns that have begun go on; end them with workflow_cancel. It can still be started by hand. Only for its owner and admins. To enable it again, a person may be needed.",
    destructive: true,
    input: { workflow_id: workflowId },
    async run({ params, ...call }) {
      const { setEnabled } = await import("../release-workflow.ts");
      return await setEnabled(deps, call, params.workflow_id, false);
    },
  });
}
