import {
  workflowDetailSchema,
  workflowExportSchema,
  workflowOpenedSchema,
  workflowRunBySchema,
} from "@hub/contract/workflow.ts";
import { workflowExampleSchema } from "@hub/contract/workflow-example.ts";
import { workflowIdSchema } from "@hub/contract/workflow-names.ts";
import { workflowProblemSchema } from "@hub/contract/workflow-problem.ts";
import { workflowSummarySchema } from "@hub/contract/workflow-summary.ts";
import { z } from "zod";
import * as changes from "../../../workflows/definition/change-workflow.ts";
import * as creation from "../../../workflows/definition/create-workflow.ts";
import * as exports from "../../../workflows/definition/export-workflow.ts";
import * as lists from "../../../workflows/definition/list-workflows.ts";
import * as publishing from "../../../workflows/definition/publish-workflow.ts";
import * as drafts from "../../../workflows/definition/save-draft.ts";
import * as summaries from "../../../workflows/definition/summarize-workflows.ts";
import { mayAuthor } from "../../../workflows/definition/workflow-access.ts";
import { defineEndpoint } from "../endpoint.ts";
import { nextSchema, pageQuery } from "./page-query.ts";
import { byWorkflow } from "./path-params.ts";

export const bodySchema = z.unknown().meta({
  description:
    "The body of the workflow: `{schema, triggers, nodes, edges, settings, layout, comments}`. At most 1 MiB.",
});
export const revisionSchema = z.int().meta({
  description:
    "The revision of the draft that was read. If the draft has another one: 409 `conflict`.",
});
const problemsSchema = z.array(workflowProblemSchema);
const newIdSchema = workflowIdSchema
  .optional()
  .meta({ description: "Only admins may choose one. It can never be used again." });

export const listWorkflows = defineEndpoint({
  name: "listWorkflows",
  summary: "List the workflows that the caller sees",
  query: pageQuery.extend({
    q: z.string().max(200).optional().meta({ description: "A part of the name or id." }),
    tag: z.string().optional(),
    owner: z.uuid().optional().meta({ description: "Id of a user." }),
    state: z.enum(["published", "draft", "disabled", "failing"]).optional().meta({
      description:
        "`published` is published and enabled; `draft` was never published; the last run of `failing` ones failed.",
    }),
  }),
  answer: z.object({
    workflows: z.array(workflowSummarySchema),
    next: nextSchema,
    may_create: z.boolean().meta({ description: "Whether the caller may create workflows." }),
  }),
  async handle({ services, caller, query }) {
    const { items, next } = await summaries.summarizeWorkflows(services, caller, query);
    return { workflows: items, next, may_create: mayAuthor(services.config, caller) };
  },
});

export const createWorkflow = defineEndpoint({
  name: "createWorkflow",
  summary: "Create a workflow",
  description:
    "The caller owns it. It has a draft, and no tags. With the setting HUB_WORKFLOW_AUTHORS=admins, only admins may do this.",
  body: z.strictObject({
    name: z.string(),
    description: z.string().optional(),
    run_by: workflowRunBySchema.optional(),
    body: bodySchema.optional(),
    example: z.string().optional().meta({
      description: "The id of an example, whose body becomes the draft. Not together with `body`.",
    }),
    rows: z.record(z.string(), z.string()).optional().meta({
      description:
        "The rows of the example: ids by the names in its `needs.rows`. Rows that are left out can be chosen later.",
    }),
    env: z.record(z.string(), z.string()).optional().meta({
      description: "Entries of the example's `settings.env`.",
    }),
    id: newIdSchema,
  }),
  status: 201,
  answer: workflowDetailSchema,
  failures: ["conflict"],
  handle: ({ services, caller, actor, body: { run_by: runBy, ...body } }) =>
    creation.createWorkflow(services, { caller, actor }, { ...body, runBy }),
});

export const listWorkflowExamples = defineEndpoint({
  name: "listWorkflowExamples",
  summary: "List workflows to start from",
  description:
    "Each with its body, and with what must be chosen before it can be published: rows, secrets, values and other workflows. A new workflow takes the id as `example`.",
  answer: z.object({ examples: z.array(workflowExampleSchema) }),
  async handle() {
    const { listExamples } = await import("../../../workflows/examples/list-examples.ts");
    return { examples: listExamples() };
  },
});

export const importWorkflow = defineEndpoint({
  name: "importWorkflow",
  summary: "Create a workflow from an export",
  description: "Its secrets must be set: `secrets` names them.",
  body: workflowExportSchema.extend({ id: newIdSchema }),
  status: 201,
  answer: workflowDetailSchema,
  failures: ["conflict"],
  handle: ({ services, caller, actor, body }) =>
    creation.importWorkflow(services, { caller, actor }, body),
});

export const validateWorkflowBody = defineEndpoint({
  name: "validateWorkflowBody",
  needsSpace: false,
  summary: "Check the body of a workflow that is not stored",
  body: z.strictObject({ body: bodySchema }),
  answer: z.object({ problems: problemsSchema, opened: z.array(workflowOpenedSchema) }),
  handle: ({ services, caller, body, signal }) =>
    drafts.validateNewBody(services, caller, body, signal),
});

export const showWorkflow = defineEndpoint({
  name: "showWorkflow",
  summary: "Show a workflow, with its draft for those who may read it",
  params: byWorkflow,
  answer: workflowDetailSchema,
  failures: ["not_found"],
  handle: ({ services, caller, params }) => lists.showWorkflow(services, caller, params.workflow),
});

export const changeWorkflow = defineEndpoint({
  name: "changeWorkflow",
  summary: "Change a workflow's name, description, or who may start it",
  description: "Members that are not sent stay as they are.",
  params: byWorkflow,
  body: z.strictObject({
    name: z.string().optional(),
    description: z.string().optional(),
    run_by: workflowRunBySchema.optional(),
  }),
  answer: workflowDetailSchema,
  failures: ["not_found"],
  handle: ({ services, caller, actor, params, body: { run_by: runBy, ...body } }) =>
    changes.changeWorkflow(services, { caller, actor }, params.workflow, { ...body, runBy }),
});

export const deleteWorkflow = defineEndpoint({
  name: "deleteWorkflow",
  summary: "Delete a workflow with its versions and secrets",
  description: "Its recorded runs stay until they are purged. Its id is never used again.",
  params: byWorkflow,
  answer: z.object({ id: z.string(), name: z.string() }),
  failures: ["not_found"],
  handle: ({ services, caller, actor, params }) =>
    changes.deleteWorkflow(services, { caller, actor }, params.workflow),
});

export const enableWorkflow = defineEndpoint({
  name: "enableWorkflow",
  summary: "Enable a workflow",
  params: byWorkflow,
  answer: workflowDetailSchema,
  failures: ["not_found"],
  handle: ({ services, caller, actor, params }) =>
    changes.enableWorkflow(services, { caller, actor }, params.workflow),
});

export const disableWorkflow = defineEndpoint({
  name: "disableWorkflow",
  needsSpace: false,
  summary: "Disable a workflow: its triggers fire no more",
  description: "It can still be started by hand.",
  params: byWorkflow,
  answer: workflowDetailSchema,
  failures: ["not_found"],
  handle: ({ services, caller, actor, params }) =>
    changes.disableWorkflow(services, { caller, actor }, params.workflow),
});

export const saveWorkflowDraft = defineEndpoint({
  name: "saveWorkflowDraft",
  summary: "Save the draft of a workflow",
  description:
    "Errors of the body do not stop it. If the draft has another revision, the `conflict` says in `revision`, `saved_by`, `saved_at` and `difference` what changed.",
  params: byWorkflow,
  body: z.strictObject({ revision: revisionSchema, body: bodySchema }),
  answer: workflowDetailSchema.extend({ problems: problemsSchema }),
  failures: ["not_found", "conflict"],
  handle: ({ services, caller, actor, params, body, signal }) =>
    drafts.saveDraft(services, { caller, actor }, params.workflow, body, signal),
});

export const validateWorkflow = defineEndpoint({
  name: "validateWorkflow",
  needsSpace: false,
  summary: "Check the draft of a workflow, or another body for it",
  params: byWorkflow,
  body: z.strictObject({ body: bodySchema.optional() }),
  answer: z.object({ problems: problemsSchema, opened: z.array(workflowOpenedSchema) }),
  failures: ["not_found"],
  handle: ({ services, caller, params, body, signal }) =>
    drafts.validateWorkflow(services, caller, params.workflow, body, signal),
});

export const publishWorkflow = defineEndpoint({
  name: "publishWorkflow",
  summary: "Publish the draft as the next version",
  description:
    "Errors of the body stop it: `problems` of the failure names them. `opened` names what users who share a tag can make the owner call.",
  params: byWorkflow,
  body: z.strictObject({ revision: revisionSchema, note: z.string().optional() }),
  answer: workflowDetailSchema.extend({
    problems: problemsSchema,
    opened: z.array(workflowOpenedSchema),
  }),
  failures: ["not_found", "conflict"],
  handle: ({ services, caller, actor, params, body, signal }) =>
    publishing.publishWorkflow(services, { caller, actor }, params.workflow, body, signal),
});

export const setWorkflowTags = defineEndpoint({
  name: "setWorkflowTags",
  summary: "Replace the tags of a workflow",
  description:
    "Users who share a tag see the workflow and, with `run_by: tags`, may start it. Look at `opened` first. Users give only tags that they have.",
  params: byWorkflow,
  body: z.strictObject({ tags: z.array(z.string()) }),
  answer: workflowDetailSchema,
  failures: ["not_found"],
  handle: ({ services, caller, actor, params, body }) =>
    changes.setTags(services, { caller, actor }, params.workflow, body),
});

export const listWorkflowOpened = defineEndpoint({
  name: "listWorkflowOpened",
  summary: "List what users who may start a workflow can make its owner call",
  params: byWorkflow,
  answer: z.object({
    published: z.array(workflowOpenedSchema),
    draft: z.array(workflowOpenedSchema),
  }),
  failures: ["not_found"],
  handle: ({ services, caller, params }) =>
    changes.listWorkflowOpened(services, caller, params.workflow),
});

export const exportWorkflow = defineEndpoint({
  name: "exportWorkflow",
  summary: "Export the draft of a workflow",
  description: "Without secrets, with the names of those that it needs.",
  params: byWorkflow,
  answer: workflowExportSchema,
  failures: ["not_found"],
  handle: ({ services, caller, params }) =>
    exports.exportWorkflow(services, caller, params.workflow),
});
