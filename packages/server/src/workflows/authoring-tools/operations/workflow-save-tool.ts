import { wick } from "@hub/connector";
import { defineOperation, type OperationDeps } from "../define-operation.ts";
import { revision, workflowId } from "../input-fields.ts";

export function defineWorkflowSave(deps: OperationDeps) {
  return defineOperation({
    name: "Save a draft",
    description:
      "Replace the draft of a workflow that your user owns.\n\nbody is the whole draft, as workflow_create describes it and workflow_get returns it; what is left out is gone. revision is that of the draft you read: if it was saved since, the answer is conflict with the difference, so read it again and repeat your change. Returns the same as workflow_create: problems at once, the new revision, and what to do next. A draft with problems is saved too. What is published goes on unchanged.",
    destructive: true,
    input: {
      workflow_id: workflowId,
      revision,
      body: wick.json(
        "required;desc=The whole draft, an object with triggers, nodes and edges, as workflow_create describes it.",
      ),
    },
    examples: [
      {
        description: "A schedule with a branch",
        params: {
          workflow_id: "daily-report-k3x9qa",
          revision: 1,
          body: {
            triggers: [
              {
                id: "daily",
                type: "cron",
                schedule: "0 30 6 * * *",
                timezone: "UTC",
                entry: "load",
              },
            ],
            nodes: [
              {
                id: "load",
                type: "operation",
                tool_id: "conn:ROW-ID/get",
                params: { path: "/open" },
              },
              {
                id: "many",
                type: "branch",
                conditions: [{ left: "{{.Node.load.body.total}}", op: "gt", right: 10 }],
              },
              { id: "alarm", type: "operation", tool_id: "conn:ROW-ID/post" },
              { id: "quiet", type: "set", value: "{{.Node.load.body.total}}" },
            ],
            edges: [
              { from: "load", to: "many" },
              { from: "many", to: "alarm", case: "true" },
              { from: "many", to: "quiet", case: "false" },
            ],
          },
        },
      },
    ],
    async run({ params, ...call }) {
      const { replaceDraft } = await import("../save-own-draft.ts");
      return await replaceDraft(deps, call, {
        workflowId: params.workflow_id,
        revision: Number(params.revision),
        body: params.body,
      });
    },
  });
}
