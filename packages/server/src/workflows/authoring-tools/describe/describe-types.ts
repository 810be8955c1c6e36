import { workflowNodeSchema } from "@hub/contract/workflow-node.ts";
import { z } from "zod";
import { HubError } from "../../../errors.ts";
import { describeTriggerTypes } from "../../triggers/payload-schemas.ts";
import { suggestOne } from "../../validation/describe-issue.ts";
import { quote } from "../../validation/problem-list.ts";
import { templateGuide } from "./body-guide.ts";
import { nodeTypeTexts } from "./node-type-texts.ts";
import { triggerTypeTexts } from "./trigger-type-texts.ts";

type NodeSchema = (typeof workflowNodeSchema.options)[number];

/** The fields that nodes share. The schemas of types do not repeat them. */
const everyNode = {
  id: "Required: a letter, then a-z, 0-9 and _. No other node and no trigger has it. .Node.<id> is the output.",
  label: "A name for people.",
  disabled:
    "true switches the node off: it runs nothing, and its output is that of the node before it (the payload, for the first one). Not for branch, switch and approval.",
  on_error:
    'fail (the default) fails the run; continue goes on with {error, code} as output; route takes the edge with the case "error" only.',
  retry:
    "{attempts, backoff_s}: tries again after failures that can pass by themselves. attempts, 1 to 10, counts the first try; the pause of backoff_s (1) doubles.",
  timeout_s: "The time limit of a try, 1 to 3600 seconds.",
  for_each:
    "On operation, http, code, workflow and channel: a template of a list of at most 10000. The node runs once for each item, as .Item and .Index; its output is the list of outputs.",
  items_at_once: "With for_each: how many items run at the same time, 1 (the default) to 32.",
};

/** The types of nodes in the size of a model's answer. Those of a list, such as `set,code`, have schemas. */
export function describeNodeTypes(list: string | undefined) {
  const wanted = readTypes(list);
  const options = workflowNodeSchema.options.filter(
    (option) => wanted === null || wanted.has(option.shape.type.value),
  );
  return {
    node_types: options.map((option) => ({
      type: option.shape.type.value,
      ...nodeTypeTexts[option.shape.type.value],
      ...(wanted !== null && { schema: toOwnSchema(option) }),
    })),
    ...(wanted === null && { templates: templateGuide }),
    every_node: everyNode,
  };
}

/** Null if no type is named. */
function readTypes(list = ""): ReadonlySet<string> | null {
  const known: string[] = workflowNodeSchema.options.map((option) => option.shape.type.value);
  const named = list.split(",").map((name) => name.trim());
  const wanted = new Set(named.filter((name) => name !== ""));
  for (const name of wanted) {
    if (known.includes(name)) continue;
    const hint = suggestOne(name, known, "The types are");
    throw new HubError("invalid_params", `There is no node type ${quote(name)}. ${hint}`);
  }
  return wanted.size === 0 ? null : wanted;
}

/** The JSON Schema of a type. A field of `everyNode` is `{}`, so that what is valid stays valid. */
function toOwnSchema(option: NodeSchema): object {
  const shape: Record<string, z.core.$ZodType> = option.shape;
  const shared = new Set(Object.keys(everyNode).map((name) => shape[name]));
  return z.toJSONSchema(option, {
    io: "input",
    override({ zodSchema, jsonSchema }) {
      if (!shared.has(zodSchema)) return;
      for (const key of Object.keys(jsonSchema)) Reflect.deleteProperty(jsonSchema, key);
    },
  });
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
