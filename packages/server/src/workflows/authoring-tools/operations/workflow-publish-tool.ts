import { wick } from "@hub/connector";
import { defineOperation, type OperationDeps } from "../define-operation.ts";
import { revision, workflowId } from "../input-fields.ts";

export function defineWorkflowPublish(deps: OperationDeps) {
  return defineOperation({
    name: "Publish a workflow",
    description:
      deps.config.workflowMcp === "publish"
        ? "Make the draft of a workflow its next version, which its triggers then start.\n\nOnly for its owner and admins. Errors of the draft stop it, warnings do not. opened lists what users who share a tag with the workflow can then make its owner call."
        : "On this hub only people publish a workflow, so do not call it: the answer is forbidden. It makes the draft of a workflow its next version.\n\nAsk the owner or an admin to open page, which workflow_create and workflow_save return, and to press Publish. Errors of the draft stop it, warnings do not.",
    destructive: true,
    input: {
      workflow_id: workflowId,
      revision,
      note: wick("desc=What has changed, for the list of versions."),
    },
    async run({ params, ...call }) {
      const { publishDraft } = await import("../release-workflow.ts");
      const { workflow_id: id, revision: read, note } = params;
      return await publishDraft(deps, call, { id, revision: Number(read), note });
    },
  });
}
