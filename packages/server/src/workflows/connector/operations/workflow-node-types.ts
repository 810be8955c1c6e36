import { wick } from "@hub/connector";
import { defineOperation } from "../define-operation.ts";

export function defineWorkflowNodeTypes() {
  return defineOperation({
    name: "List node types",
    description:
      "List the types of nodes, the steps of a workflow, each with what it does, its output, its cases and an example.\n\nWithout type, it also returns the fields that all nodes have (on_error, retry, timeout_s, for_each) and a short guide to templates, which the texts of nodes may contain. With type, it returns the whole JSON Schema of that type.",
    input: {
      type: wick(
        "dropdown=operation|http|branch|switch|set|code|wait|approval|workflow|channel|webhook_respond|fail;desc=Only this type, in full.",
      ),
    },
    examples: [{ description: "Everything about one type", params: { type: "branch" } }],
    async run({ params }) {
      const { describeNodeTypes } = await import("../describe/describe-types.ts");
      return describeNodeTypes(params.type);
    },
  });
}
