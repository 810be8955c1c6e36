import { defineOperation, type OperationDeps } from "../define-operation.ts";
import { workflowId } from "../fields.ts";

export function defineWorkflowEnable(deps: OperationDeps) {
  return defineOperation({
    name: "Enable a workflow",
    description:
      "Let the triggers of a disabled workflow fire again.\n\nMost hubs leave this to people: then it is refused, and the error names the page and who can do it; tell the user.",
    destructive: true,
    input: { workflow_id: workflowId },
    async run({ params, ...call }) {
      const { setEnabled } = await import("../release-workflow.ts");
      return await setEnabled(deps, call, params.workflow_id, true);
    },
  });
}
