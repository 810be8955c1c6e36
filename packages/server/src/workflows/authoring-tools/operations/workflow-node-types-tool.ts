import { wick } from "@hub/connector";
import { defineOperation } from "../define-operation.ts";

export function defineWorkflowNodeTypes() {
  return defineOperation({
    name: "List node types",
    description:
      "List the types of nodes, the steps of a workflow, each with what it does, its output, its cases and an example.\n\nevery_node describes the fields that all nodes have. Without type, it also returns a short guide to templates, which the texts of nodes may contain. With type, such as code,http, it returns the JSON Schema of each type, in which {} stands for a field of every_node.",
    reads: true,
    input: {
      type: wick(
        "desc=Only these types, in full, separated by commas: operation, http, branch, switch, set, code, wait, approval, workflow, channel, webhook_respond, fail.",
      ),
    },
    examples: [{ description: "Everything about two types", params: { type: "branch,code" } }],
    async run({ params }) {
      const { describeNodeTypes } = await import("../describe/describe-types.ts");
      return describeNodeTypes(params.type);
    },
  });
}
