import { workflowManualTriggerSchema } from "@hub/contract/workflow-manual.ts";
import { workflowPreviewSchema } from "@hub/contract/workflow-preview.ts";
import {
  workflowDecisionSchema,
  workflowDryRunSchema,
  workflowOutcomeSchema,
  workflowResumeBodySchema,
  workflowResumedSchema,
  workflowResumeSchema,
  workflowRunDetailSchema,
  workflowRunSchema,
  workflowRunStateSchema,
} from "@hub/contract/workflow-run.ts";
import { z } from "zod";
import { cancelWorkflowRun as cancelRun } from "../../../workflows/runs/cancel-workflow-run.ts";
import { listRuns } from "../../../workflows/runs/list-workflow-runs.ts";
import { previewTemplate } from "../../../workflows/runs/preview-template.ts";
import { previewResume, resumeRun } from "../../../workflows/runs/resume/resume-run.ts";
import { openRun } from "../../../workflows/runs/show-run.ts";
import { showRunBody } from "../../../workflows/runs/show-run-body.ts";
import { showManualForms } from "../../../workflows/runs/start/list-manual-triggers.ts";
import { replayRun } from "../../../workflows/runs/start/replay-run.ts";
import { startRun, waitMsMax } from "../../../workflows/runs/start/start-run.ts";
import { answerJson, checkAnswer, defineEndpoint, describe, type Endpoint } from "../endpoint.ts";
import { readCall } from "../read-call.ts";
import { sendList } from "../send-list.ts";
import { nextSchema, pageQuery } from "./page-query.ts";
import { byWorkflow, byWorkflowRun } from "./path-params.ts";

const isDraftSchema = z
  .boolean()
  .optional()
  .meta({ description: "Whether the draft runs. For the owner and for admins." });

const errorTriggersSchema = z.boolean().optional().meta({
  description:
    "Whether a failure of a run of the draft starts error triggers of published workflows. The default is false. Other runs always start them.",
});

const timeQuery = z.iso.datetime({ offset: true });

export const listWorkflowManualTriggers = defineEndpoint({
  name: "listWorkflowManualTriggers",
  summary: "List the manual triggers of a workflow with their forms",
  description: "Empty for callers who may not start it.",
  params: byWorkflow,
  query: z.strictObject({
    body: z.enum(["published", "draft"]).default("published").meta({
      description: "Whose triggers are listed. `draft` is for the owner and for admins.",
    }),
  }),
  answer: z.object({ triggers: z.array(workflowManualTriggerSchema) }),
  failures: ["not_found"],
  handle: async ({ services, caller, params, query }) => ({
    triggers: await showManualForms(services, caller, params.workflow, {
      isDraft: query.body === "draft",
    }),
  }),
});

export const startWorkflowRun = defineEndpoint({
  name: "startWorkflowRun",
  summary: "Start a run by a manual trigger",
  description:
    "The run acts as the owner of the workflow. Without `wait_s` it answers at once; the run may still be queued. `dry_run` and `only_node` are for the owner and for admins.",
  params: byWorkflow,
  body: z.strictObject({
    ...workflowDryRunSchema.shape,
    trigger_id: z.string().optional().meta({
      description:
        "The manual trigger. Needed if there are several. With `draft` also another trigger.",
    }),
    payload: z.unknown().optional().meta({
      description:
        "An object: the fields of the trigger. For a trigger without fields, what `.Event.Payload` is.",
    }),
    draft: isDraftSchema,
    error_triggers: errorTriggersSchema,
    wait_s: z
      .number()
      .min(0)
      .max(waitMsMax / 1000)
      .optional()
      .meta({
        description: "How long to wait for the end of the run.",
      }),
  }),
  answer: workflowOutcomeSchema,
  failures: ["not_found", "conflict", "invalid_params", "rate_limited"],
  handle: ({
    services,
    caller,
    params,
    body: { trigger_id: triggerId, payload, draft, error_triggers, wait_s: waitS = 0, ...dryRun },
  }) =>
    startRun(services, caller, params.workflow, {
      triggerId,
      payload,
      isDraft: draft,
      firesErrors: error_triggers,
      dryRun,
      waitMs: waitS * 1000,
    }),
});

export const previewWorkflowTemplate = defineEndpoint({
  name: "previewWorkflowTemplate",
  needsSpace: false,
  summary: "Render a template of the draft with the values of a run",
  description:
    "What `.Event` and `.Node` are is read from the run. Without one they are empty. Secrets are shown by their names only.",
  params: byWorkflow,
  body: z.strictObject({
    template: z.string().max(65_536),
    run: z.string().max(64).optional().meta({ description: "Id of a run." }),
  }),
  answer: workflowPreviewSchema,
  failures: ["not_found"],
  handle: ({ services, caller, params, body }) =>
    previewTemplate(services, caller, params.workflow, {
      template: body.template,
      runId: body.run,
    }),
});

export const listWorkflowRuns = defineEndpoint({
  name: "listWorkflowRuns",
  summary: "List the runs of a workflow, newest first",
  description:
    "With filters, a page can have fewer runs than the limit: it looks at 20,000 runs at most. `next` then goes on.",
  params: byWorkflow,
  query: pageQuery.extend({
    state: workflowRunStateSchema.optional(),
    trigger: z.string().optional().meta({ description: "Id of the trigger." }),
    from: timeQuery.optional().meta({ description: "Only runs that began at this time or later." }),
    to: timeQuery.optional().meta({ description: "Only runs that began before this time." }),
  }),
  answer: z.object({ runs: z.array(workflowRunSchema), next: nextSchema }),
  failures: ["not_found"],
  async handle({ services, caller, params, query: { trigger, from, to, ...query } }) {
    const { items, next } = await listRuns(services, caller, params.workflow, {
      ...query,
      triggerId: trigger,
      from: toMs(from),
      to: toMs(to),
    });
    return { runs: items, next };
  },
});

function toMs(time: string | undefined): number | undefined {
  return time === undefined ? undefined : Date.parse(time);
}

const showSpec = {
  name: "showWorkflowRun",
  summary: "Show a run with its event and steps",
  params: byWorkflowRun,
  answer: workflowRunDetailSchema,
  failures: ["not_found" as const, "rate_limited" as const],
};

export const showWorkflowRun: Endpoint = {
  ...describe(showSpec, 200, ["application/json"]),
  async respond(req) {
    const { services, caller, params } = await readCall(showSpec, req);
    const { head, steps } = await openRun(services, caller, params);
    const { answer: schema } = showSpec;
    if (steps === null) return answerJson(checkAnswer(schema, { ...head, steps }), 200);
    return await sendList(req, { schema, member: "steps", head, pages: steps });
  },
};

export const showWorkflowRunBody = defineEndpoint({
  name: "showWorkflowRunBody",
  summary: "Show the body that a run runs",
  description: "The draft may have changed since a run of the draft.",
  params: byWorkflowRun,
  answer: z.object({
    version: z.int().nullable().meta({ description: "Null for a run of the draft." }),
    body: z.unknown().meta({ description: "As it was when the run was made." }),
  }),
  failures: ["not_found"],
  handle: ({ services, caller, params }) => showRunBody(services, caller, params),
});

export const cancelWorkflowRun = defineEndpoint({
  name: "cancelWorkflowRun",
  needsSpace: false,
  summary: "Cancel a run",
  description: "Calls in flight are cancelled too. For everyone who may start the workflow.",
  params: byWorkflowRun,
  answer: z.object({
    id: z.string(),
    cancelled: z.enum(["now", "soon"]).meta({
      description: "`soon` if a server works on the run, which ends it.",
    }),
  }),
  failures: ["not_found", "conflict"],
  handle: ({ services, caller, params }) => cancelRun(services, caller, params),
});

export const replayWorkflowRun = defineEndpoint({
  name: "replayWorkflowRun",
  summary: "Start a new run with the event of an earlier one",
  params: byWorkflowRun,
  body: z.strictObject({
    draft: isDraftSchema,
    error_triggers: errorTriggersSchema,
    dry_run: z.boolean().optional().meta({
      description:
        "Whether the new run is a dry run. The outputs of the earlier run stand in for those of steps with side effects.",
    }),
  }),
  answer: workflowOutcomeSchema,
  failures: ["not_found", "conflict"],
  handle: ({ services, caller, params, body }) =>
    replayRun(services, caller, params, {
      isDraft: body.draft,
      firesErrors: body.error_triggers,
      isDryRun: body.dry_run,
    }),
});

export const previewWorkflowResume = defineEndpoint({
  name: "previewWorkflowResume",
  summary: "Show what a resume of a run would do",
  description: "Which steps it takes over, which run again, and which need a decision.",
  params: byWorkflowRun,
  query: z.strictObject({ body: workflowResumeBodySchema.default("then") }),
  answer: workflowResumeSchema,
  failures: ["not_found", "conflict"],
  handle: ({ services, caller, params, query }) => previewResume(services, caller, params, query),
});

export const resumeWorkflowRun = defineEndpoint({
  name: "resumeWorkflowRun",
  summary: "Resume a run that failed, was cancelled or waits for a person",
  description:
    "A run that waits for a person goes on itself. Otherwise a new run takes over the steps that have succeeded, and goes on from the others. A run is resumed once. A step that may have happened needs a decision.",
  params: byWorkflowRun,
  body: z.strictObject({
    body: workflowResumeBodySchema.default("then"),
    decisions: z.array(workflowDecisionSchema).max(10_000).optional(),
  }),
  answer: workflowResumedSchema,
  failures: ["not_found", "conflict", "rate_limited"],
  handle: ({ services, caller, params, body }) => resumeRun(services, caller, params, body),
});
