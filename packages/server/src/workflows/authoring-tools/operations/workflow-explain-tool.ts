import { wick } from "@hub/connector";
import { defineOperation, type OperationDeps } from "../define-operation.ts";
import { workflowId } from "../input-fields.ts";

export function defineWorkflowExplain(deps: OperationDeps) {
  return defineOperation({
    name: "Explain a workflow or a run",
    description:
      "Sum up what a workflow does, or with run_id why a run failed or for what it waits.\n\nOf a workflow: what starts it, the user it acts as, and its steps in order: what each calls, who is asked, and what follows. Of a run: the failed step, what its error means, what to do, and what changed since the step last worked. Returns text in Markdown. For the owner and admins. Use workflow_get for the body, and workflow_run_get for the steps.",
    reads: true,
    input: {
      workflow_id: workflowId,
      version: wick.int("desc=A published version. Without it, the draft is explained."),
      run_id: wick("desc=Explain this run instead."),
    },
    async run({ caller, params }) {
      const { workflow_id: workflow, run_id: run, version } = params;
      if (run !== undefined) {
        const { diagnoseRun } = await import("../../explain/diagnose-run.ts");
        const { summary, markdown } = await diagnoseRun(deps, caller, { workflow, run });
        return { summary, text: markdown };
      }
      const { explainWorkflow } = await import("../../explain/explain-workflow.ts");
      const chosen = version === undefined ? "draft" : Number(version);
      const found = await explainWorkflow(deps, caller, workflow, chosen);
      return { version: found.version, summary: found.summary, text: found.markdown };
    },
  });
}
