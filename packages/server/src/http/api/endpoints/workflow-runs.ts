import {
  workflowOutcomeSchema,
  workflowRunDetailSchema,
  workflowRunSchema,
  workflowRunStateSchema,
} from "@hub/contract/workflow-run.ts";
import { z } from "zod";
import { cancelRun } from "../../../workflows/runs/cancel-run.ts";
import { replayRun } from "../../../workflows/runs/replay-run.ts";
import { listRuns, showRun } from "../../../workflows/runs/show-runs.ts";
import { startRun, waitMsMax } from "../../../workflows/runs/start-run.ts";
import { defineEndpoint } from "../endpoint.ts";
import { nextSchema, pageQuery } from "./page-query.ts";
import { byWorkflow } from "./path-params.ts";

const byWorkflowRun = byWorkflow.extend({
  run: z.string().max(64).meta({ description: "Id of a run." }),
});
const isDraftSchema = z
  .boolean()
  .optional()
  .meta({ description: "Whether the draft runs. For the owner and for admins." });

export const startWorkflowRun = defineEndpoint({
  name: "startWorkflowRun",
  summary: "Start a run by a manual trigger",
  description:
    "The run acts as the owner of the workflow. Without `wait_s` it answers at once; the run may still be queued.",
  params: byWorkflow,
  body: z.strictObject({
    trigger_id: z.string().optional().meta({
      description: "The manual trigger. Needed if there are several.",
    }),
    payload: z.unknown().optional().meta({ description: "An object: the fields of the trigger." }),
    draft: isDraftSchema,
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
  handle: ({ services, caller, params, body }) =>
    startRun(services, caller, params.workflow, {
      triggerId: body.trigger_id,
      payload: body.payload,
      isDraft: body.draft,
      waitMs: (body.wait_s ?? 0) * 1000,
    }),
});

export const listWorkflowRuns = defineEndpoint({
  name: "listWorkflowRuns",
  summary: "List the runs of a workflow, newest first",
  params: byWorkflow,
  query: pageQuery.extend({ state: workflowRunStateSchema.optional() }),
  answer: z.object({ runs: z.array(workflowRunSchema), next: nextSchema }),
  failures: ["not_found"],
  async handle({ services, caller, params, query }) {
    const { items, next } = await listRuns(services, caller, params.workflow, query);
    return { runs: items, next };
  },
});

export const showWorkflowRun = defineEndpoint({
  name: "showWorkflowRun",
  summary: "Show a run with its event and steps",
  params: byWorkflowRun,
  answer: workflowRunDetailSchema,
  failures: ["not_found"],
  handle: ({ services, caller, params }) => showRun(services, caller, params),
});

export const cancelWorkflowRun = defineEndpoint({
  name: "cancelWorkflowRun",
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
  body: z.strictObject({ draft: isDraftSchema }),
  answer: workflowOutcomeSchema,
  failures: ["not_found", "conflict"],
  handle: ({ services, caller, params, body }) =>
    replayRun(services, caller, params, { isDraft: body.draft }),
});
