import { workflowNodeSchema } from "@hub/contract/workflow-node.ts";
import { z } from "zod";
import { describeTriggerTypes } from "../../triggers/payload-schemas.ts";
import { templateGuide } from "./body-guide.ts";
import { nodeTypeTexts } from "./node-type-texts.ts";
import { triggerTypeTexts } from "./trigger-type-texts.ts";

/** The types of nodes in the size of a model's answer; one type with its whole schema. */
export function describeNodeTypes(type: string | undefined) {
  const options = workflowNodeSchema.options.filter(
    (option) => type === undefined || option.shape.type.value === type,
  );
  return {
    node_types: options.map((option) => ({
      type: option.shape.type.value,
      ...nodeTypeTexts[option.shape.type.value],
      ...(type !== undefined && { schema: z.toJSONSchema(option, { io: "input" }) }),
    })),
    ...(type === undefined && {
      templates: templateGuide,
      every_node: {
        on_error:
          'fail (the default) fails the run; continue goes on with {error, code} as output; route takes the edge with the case "error" only.',
        retry: "{attempts, backoff_s}: tries again after failures that can pass by themselves.",
        timeout_s: "The time limit of a try.",
        for_each:
          "On operation, http, code, workflow and channel: a template of a list. The node runs once for each item, as .Item and .Index; its output is the list of outputs.",
      },
    }),
  };
}

/** The types of triggers, likewise. */
export function describeTriggers(type: string | undefined) {
  const types = describeTriggerTypes().filter((one) => type === undefined || one.type === type);
  return {
    trigger_types: types.map((one) => ({
      type: one.type,
      ...triggerTypeTexts[one.type],
      ...(type !== undefined && { fields: one.fields, payload_schema: one.payload }),
    })),
  };
}
