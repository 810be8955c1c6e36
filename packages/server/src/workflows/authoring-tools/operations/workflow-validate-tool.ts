import { wick } from "@hub/connector";
import { defineOperation, type OperationDeps } from "../define-operation.ts";

export function defineWorkflowValidate(deps: OperationDeps) {
  return defineOperation({
    name: "Check a workflow",
    description:
      "Check the body of a workflow without saving it.\n\nworkflow_create and workflow_save return the same problems, so you rarely need it. With workflow_id, it checks what publishing would check: the given body, or without one the stored draft. Each problem has path (a JSON pointer into the body), severity, message and hint; errors stop publishing, warnings do not. opened lists what users who share a tag with the workflow could make its owner call.",
    reads: true,
    input: {
      workflow_id: wick(
        "desc=The id of the workflow. Without it, the body is checked as a new one.",
      ),
      body: wick.json("desc=The whole body: triggers, nodes and edges."),
    },
    async run({ caller, params, signal }) {
      const { validateNewBody, validateWorkflow } = await import("../../definition/save-draft.ts");
      const { readObjectParam } = await import("../read-object-param.ts");
      const { hintAtPeople } = await import("../describe/secret-problems.ts");
      const { workflow_id: id } = params;
      const body = params.body === undefined ? undefined : readObjectParam("body", params.body);
      if (id !== undefined) {
        const given = body === undefined ? {} : { body };
        const checked = await validateWorkflow(deps, caller, id, given, signal);
        return { ...checked, problems: hintAtPeople(checked.problems) };
      }
      const given = { body: body ?? readObjectParam("body", body) };
      return await validateNewBody(deps, caller, given, signal);
    },
  });
}
