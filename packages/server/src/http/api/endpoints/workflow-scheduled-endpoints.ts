import { workflowScheduledRunSchema } from "@hub/contract/workflow-scheduled.ts";
import { workflowTicksSchema } from "@hub/contract/workflow-summary.ts";
import { z } from "zod";
import { listTicks } from "../../../workflows/definition/summarize-workflows.ts";
import * as scheduled from "../../../workflows/runs/manage-scheduled-runs.ts";
import { defineEndpoint } from "../endpoint.ts";
import { nextSchema, pageQuery } from "./page-query.ts";
import { byWorkflow } from "./path-params.ts";

const byScheduledRun = byWorkflow.extend({
  run: z.uuid().meta({ description: "Id of a run that waits for its time." }),
});

export const listWorkflowTicks = defineEndpoint({
  name: "listWorkflowTicks",
  summary: "List the next ticks of the published cron triggers of a workflow",
  description: "Ticks of a disabled workflow start no run.",
  params: byWorkflow,
  answer: z.object({ triggers: z.array(workflowTicksSchema) }),
  failures: ["not_found"],
  handle: async ({ services, caller, params }) => ({
    triggers: await listTicks(services, caller, params.workflow),
  }),
});

export const listScheduledRuns = defineEndpoint({
  name: "listScheduledRuns",
  summary: "List the runs of a workflow that wait for their time, the next one first",
  params: byWorkflow,
  query: pageQuery,
  answer: z.object({ runs: z.array(workflowScheduledRunSchema), next: nextSchema }),
  failures: ["not_found"],
  async handle({ services, caller, params, query }) {
    const { workflow } = params;
    const { items, next } = await scheduled.listScheduled(services, caller, workflow, query);
    return { runs: items, next };
  },
});

export const moveScheduledRun = defineEndpoint({
  name: "moveScheduledRun",
  summary: "Give a scheduled run another time",
  params: byScheduledRun,
  body: z.strictObject({
    scheduled_at: z.union([z.string().max(64), z.number()]).meta({
      description: "ISO 8601 with an offset, or Unix seconds. At least one second ahead.",
    }),
  }),
  answer: workflowScheduledRunSchema,
  failures: ["not_found"],
  handle: ({ services, caller, actor, params, body: { scheduled_at: scheduledAt } }) => {
    const address = { workflowId: params.workflow, runId: params.run };
    return scheduled.moveScheduled(services, { caller, actor }, address, { scheduledAt });
  },
});

export const dropScheduledRun = defineEndpoint({
  name: "dropScheduledRun",
  summary: "Drop a scheduled run: it is cancelled before its time",
  params: byScheduledRun,
  answer: workflowScheduledRunSchema,
  failures: ["not_found"],
  handle: ({ services, caller, actor, params }) => {
    const address = { workflowId: params.workflow, runId: params.run };
    return scheduled.dropScheduled(services, { caller, actor }, address);
  },
});
