import { defineOperation, type OperationDeps } from "../define-operation.ts";
import { workflowId } from "../input-fields.ts";

export function defineWorkflowEnable(deps: OperationDeps) {
  return defineOperation({
    name: "Enable a workflow",
    description:
      deps.config.workflowMcp === "publish"
        ? "Let the triggers of a disabled workflow fire again.\n\nOnly for its owner and admins."
        : "On this hub only people enable a workflow, so do not call it: the answer is forbidden. It lets the triggers of a disabled workflow fire again.\n\nAsk the owner or an admin to open the page of the workflow and to press Enable.",
    destructive: true,
    input: { workflow_id: workflowId },
    async run({ params, ...call }) {
      const { setEnabled } = await import("../release-workflow.ts");
      return await setEnabled(deps, call, params.workflow_id, true);
    },
  });
}
