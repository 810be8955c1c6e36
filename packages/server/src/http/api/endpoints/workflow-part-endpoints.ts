import {
  workflowDetailSchema,
  workflowSchema,
  workflowSecretSchema,
  workflowVersionSchema,
} from "@hub/contract/workflow.ts";
import { workflowDifferenceSchema } from "@hub/contract/workflow-difference.ts";
import { workflowVariableSchema } from "@hub/contract/workflow-names.ts";
import { z } from "zod";
import * as versions from "../../../workflows/definition/list-versions.ts";
import * as owner from "../../../workflows/definition/offer-workflow.ts";
import * as drafts from "../../../workflows/definition/save-draft.ts";
import * as secrets from "../../../workflows/definition/set-secrets.ts";
import { defineEndpoint } from "../endpoint.ts";
import { byWorkflow } from "./path-params.ts";
import { bodySchema, revisionSchema } from "./workflow-endpoints.ts";

const byVersion = byWorkflow.extend({
  version: z.coerce.number().int().min(1).max(1e9).meta({ description: "Number of a version." }),
});
const bySecret = byWorkflow.extend({ secret: workflowVariableSchema });
const secretsAnswer = z.object({ secrets: z.array(workflowSecretSchema) });

export const listWorkflowVersions = defineEndpoint({
  name: "listWorkflowVersions",
  summary: "List the versions of a workflow, newest first",
  description: "The 100 newest are kept.",
  params: byWorkflow,
  answer: z.object({ versions: z.array(workflowVersionSchema) }),
  failures: ["not_found"],
  handle: async ({ services, caller, params }) => ({
    versions: await versions.listVersions(services, caller, params.workflow),
  }),
});

export const showWorkflowVersion = defineEndpoint({
  name: "showWorkflowVersion",
  summary: "Show a version of a workflow with its body",
  params: byVersion,
  answer: workflowVersionSchema.extend({ body: bodySchema }),
  failures: ["not_found"],
  handle: ({ services, caller, params: { workflow, version } }) =>
    versions.showVersion(services, caller, workflow, version),
});

export const restoreWorkflowVersion = defineEndpoint({
  name: "restoreWorkflowVersion",
  summary: "Make the body of a version the draft",
  params: byVersion,
  body: z.strictObject({ revision: revisionSchema }),
  answer: workflowDetailSchema,
  failures: ["not_found", "conflict"],
  handle: ({ services, caller, actor, params: { workflow, version }, body }) =>
    drafts.restoreVersion(services, { caller, actor }, workflow, version, body),
});

export const compareWorkflowVersions = defineEndpoint({
  name: "compareWorkflowVersions",
  summary: "Compare two versions of a workflow, or its draft",
  params: byWorkflow,
  query: z.strictObject({
    from: z.string().optional().meta({
      description: "`draft`, `published` or the number of a version. The default is `published`.",
    }),
    to: z.string().optional().meta({ description: "The same. The default is `draft`." }),
  }),
  answer: z.object({ from: z.string(), to: z.string(), difference: workflowDifferenceSchema }),
  failures: ["not_found", "conflict"],
  handle: ({ services, caller, params, query }) =>
    versions.compareVersions(services, caller, params.workflow, query),
});

export const listWorkflowSecrets = defineEndpoint({
  name: "listWorkflowSecrets",
  summary: "List the names of a workflow's secrets",
  description: "Those that are set, and those that the draft or the published body needs.",
  params: byWorkflow,
  answer: secretsAnswer,
  failures: ["not_found"],
  handle: async ({ services, caller, params }) => ({
    secrets: await secrets.listSecrets(services, caller, params.workflow),
  }),
});

export const setWorkflowSecret = defineEndpoint({
  name: "setWorkflowSecret",
  summary: "Set a secret of a workflow",
  description: "No answer of the hub contains its value.",
  params: bySecret,
  body: z.strictObject({ value: z.string() }),
  answer: secretsAnswer,
  failures: ["not_found", "conflict"],
  handle: async ({ services, caller, actor, params: { workflow, secret: name }, body }) => ({
    secrets: await secrets.setSecret(services, { caller, actor }, workflow, { name, ...body }),
  }),
});

export const nameWorkflowSecret = defineEndpoint({
  name: "nameWorkflowSecret",
  summary: "Take a secret of a workflow from a secret manager",
  description:
    "By a reference that you may use. It opens in calls of the reference's row alone, or only checks webhooks.",
  params: bySecret,
  body: z.strictObject({
    reference: z.string().max(100).meta({ description: "Id or name of a reference." }),
  }),
  answer: secretsAnswer,
  failures: ["bad_request", "not_found", "conflict"],
  handle: async ({ services, caller, actor, params: { workflow, secret: name }, body }) => ({
    secrets: await secrets.nameSecret(services, { caller, actor }, workflow, { name, ...body }),
  }),
});

export const removeWorkflowSecret = defineEndpoint({
  name: "removeWorkflowSecret",
  summary: "Remove a secret of a workflow",
  params: bySecret,
  answer: secretsAnswer,
  failures: ["not_found"],
  handle: async ({ services, caller, actor, params: { workflow, secret } }) => ({
    secrets: await secrets.removeSecret(services, { caller, actor }, workflow, secret),
  }),
});

export const offerWorkflow = defineEndpoint({
  name: "offerWorkflow",
  summary: "Offer a workflow to a new owner",
  description: "The user may read it from now on, and owns it after accepting.",
  params: byWorkflow,
  body: z.strictObject({
    owner: z.string().meta({ description: "E-mail of an active user." }),
  }),
  answer: workflowDetailSchema,
  failures: ["not_found", "conflict"],
  handle: ({ services, caller, actor, params, body }) =>
    owner.offerWorkflow(services, { caller, actor }, params.workflow, body),
});

export const acceptWorkflow = defineEndpoint({
  name: "acceptWorkflow",
  summary: "Accept a workflow that is offered to the caller",
  description: "Its runs then act as the caller.",
  params: byWorkflow,
  body: z.strictObject({
    updated_at: z.string().meta({
      description:
        "The `updated_at` that was read. If the workflow has changed since: 409 `conflict`.",
    }),
  }),
  answer: workflowDetailSchema,
  failures: ["not_found", "conflict"],
  handle: ({ services, caller, actor, params, body: { updated_at: updatedAt } }) =>
    owner.acceptWorkflow(services, { caller, actor }, params.workflow, { updatedAt }),
});

export const endWorkflowOffer = defineEndpoint({
  name: "endWorkflowOffer",
  summary: "Decline or withdraw the offer of a workflow",
  params: byWorkflow,
  answer: workflowSchema,
  failures: ["not_found", "conflict"],
  handle: ({ services, caller, actor, params }) =>
    owner.endOffer(services, { caller, actor }, params.workflow),
});
