import { wick } from "@hub/connector";
import { defineOperation, type OperationDeps } from "../define-operation.ts";
import { after, limit, toPage } from "../input-fields.ts";

export function defineWorkflowList(deps: OperationDeps) {
  return defineOperation({
    name: "List workflows",
    description:
      "List the workflows that you can see, newest first.\n\nA workflow is a graph of steps that the hub runs by itself, such as calls of tools, conditions and waits. Each entry has id, name, description, enabled, version (0 if it was never published) and may_start, which says whether you can start it. Use it to find the workflow_id for the other operations. If next is not null, pass it as after to get the next page.",
    reads: true,
    input: {
      q: wick("desc=Only workflows with this text in their name or id."),
      state: wick(
        "dropdown=published|draft|disabled;desc=published: published and enabled. draft: never published. disabled: switched off.",
      ),
      tag: wick("desc=Only workflows with this tag."),
      limit,
      after,
    },
    examples: [{ description: "Find a workflow", params: { q: "report" } }],
    async run({ caller, params }) {
      const { listWorkflows } = await import("../../definition/list-workflows.ts");
      const { items, next } = await listWorkflows(deps, caller, {
        q: params.q,
        tag: params.tag,
        state: params.state,
        ...toPage(params),
      });
      return { workflows: items, next };
    },
  });
}
