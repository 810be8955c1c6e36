import {
  webhookDeliverySchema,
  webhookOutcomeSchema,
  workflowWebhookSchema,
} from "@hub/contract/workflow-webhook.ts";
import { z } from "zod";
import { listDeliveries } from "../../../workflows/webhooks/deliveries/list-deliveries.ts";
import { requestsKeptMax } from "../../../workflows/webhooks/deliveries/request-log.ts";
import { listWebhooks } from "../../../workflows/webhooks/list-webhooks.ts";
import { defineEndpoint } from "../endpoint.ts";
import { nextSchema, pageQuery } from "./page-query.ts";
import { byWorkflow } from "./path-params.ts";

export const listWorkflowWebhooks = defineEndpoint({
  name: "listWorkflowWebhooks",
  summary: "List the webhook triggers of a workflow with their addresses",
  description:
    "With shell commands that send a request, signed if the trigger has `secret_ref`. They contain no secret.",
  params: byWorkflow,
  answer: z.object({ webhooks: z.array(workflowWebhookSchema) }),
  failures: ["not_found"],
  handle: async ({ services, caller, params, baseUrl }) => ({
    webhooks: await listWebhooks(services, caller, params.workflow, baseUrl),
  }),
});

export const listWorkflowDeliveries = defineEndpoint({
  name: "listWorkflowDeliveries",
  summary: "List the last requests to the webhooks of a workflow, newest first",
  description: `Of each workflow, the ${requestsKeptMax} newest accepted requests and the ${requestsKeptMax} newest kinds of refused ones are kept. Refused requests with the same trigger and reason are one item. Requests that another server of the same database took appear within seconds.`,
  params: byWorkflow,
  query: pageQuery.extend({
    trigger: z.string().max(64).optional().meta({ description: "Id of a webhook trigger." }),
    outcome: webhookOutcomeSchema.optional(),
  }),
  answer: z.object({ deliveries: z.array(webhookDeliverySchema), next: nextSchema }),
  failures: ["not_found"],
  async handle({ services, caller, params, query }) {
    const { items, next } = await listDeliveries(services, caller, params.workflow, query);
    return { deliveries: items, next };
  },
});
