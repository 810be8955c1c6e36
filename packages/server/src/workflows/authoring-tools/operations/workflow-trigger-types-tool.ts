import { wick } from "@hub/connector";
import { defineOperation } from "../define-operation.ts";

export function defineWorkflowTriggerTypes() {
  return defineOperation({
    name: "List trigger types",
    description:
      "List the types of triggers that start runs, each with what it does, an example and a sample of its .Event.Payload.\n\nWith type, returns the JSON Schema of its fields and of its payload too. Use it to read or write the body of a workflow.",
    reads: true,
    input: {
      type: wick(
        "dropdown=cron|channel|webhook|manual|schedule_at|error;desc=Only this type, in full.",
      ),
    },
    examples: [{ description: "Everything about one type", params: { type: "webhook" } }],
    async run({ params }) {
      const { describeTriggers } = await import("../describe/describe-types.ts");
      return describeTriggers(params.type);
    },
  });
}
