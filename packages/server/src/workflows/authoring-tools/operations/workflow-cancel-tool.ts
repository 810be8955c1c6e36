import { defineOperation, type OperationDeps } from "../define-operation.ts";
import { runId, workflowId } from "../input-fields.ts";

export function defineWorkflowCancel(deps: OperationDeps) {
  return defineOperation({
    name: "Cancel a run",
    description:
      "Cancel a run that has not ended.\n\nCalls that are in flight are cancelled too; what the run did before is not undone. For everyone who may start the workflow. cancelled is now, or soon if a server still has to end it.",
    destructive: true,
    input: { workflow_id: workflowId, run_id: runId },
    async run({ caller, params }) {
      const { cancelWorkflowRun } = await import("../../runs/cancel-workflow-run.ts");
      const { workflow_id: workflow, run_id: run } = params;
      return await cancelWorkflowRun(deps, caller, { workflow, run });
    },
  });
}
