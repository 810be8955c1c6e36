import { workflowPinSchema } from "@hub/contract/workflow-pin.ts";
import { z } from "zod";
import * as pins from "../../../workflows/definition/manage-pins.ts";
import { defineEndpoint } from "../endpoint.ts";
import { byWorkflow } from "./path-params.ts";

const byNode = byWorkflow.extend({
  node: z.string().max(64).meta({ description: "Id of a node of the draft." }),
});
const pinsAnswer = z.object({ pins: z.array(workflowPinSchema) });

export const listWorkflowPins = defineEndpoint({
  name: "listWorkflowPins",
  summary: "List the outputs that are pinned for tests of a workflow's draft",
  description:
    "They belong to the owner, are not in the body or its exports, and end with their node. Runs use them with `draft_pins`.",
  params: byWorkflow,
  answer: pinsAnswer,
  failures: ["not_found"],
  handle: async ({ services, caller, params }) => ({
    pins: await pins.listPins(services, caller, params.workflow),
  }),
});

export const setWorkflowPin = defineEndpoint({
  name: "setWorkflowPin",
  summary: "Pin the output of a node for tests of the draft",
  params: byNode,
  body: z.strictObject({
    run: z.string().max(64).optional().meta({
      description: "A run of this workflow in which the node succeeded. Its output is pinned.",
    }),
    node: z.string().max(64).optional().meta({
      description: "The id that the node had before. Its pin is used here, too.",
    }),
  }),
  answer: pinsAnswer,
  failures: ["not_found", "conflict"],
  handle: async ({ services, caller, actor, params: { workflow, node }, body }) => ({
    pins: await pins.setPin(services, { caller, actor }, workflow, node, body),
  }),
});

export const removeWorkflowPin = defineEndpoint({
  name: "removeWorkflowPin",
  summary: "Remove the pin of a node",
  params: byNode,
  answer: pinsAnswer,
  failures: ["not_found"],
  handle: async ({ services, caller, actor, params: { workflow, node } }) => ({
    pins: await pins.removePin(services, { caller, actor }, workflow, node),
  }),
});
