import {
  workflowDiagnosisSchema,
  workflowExplanationSchema,
  workflowSchedulePreviewSchema,
} from "@hub/contract/workflow-explanation.ts";
import { z } from "zod";
import { defineEndpoint } from "../endpoint.ts";
import { byWorkflow, byWorkflowRun } from "./path-params.ts";

export const explainWorkflow = defineEndpoint({
  name: "explainWorkflow",
  summary: "Sum a workflow up in words",
  description:
    "What starts it, whose rights it has, and its steps in order: what each calls, who is asked, and what follows. Rows that the caller does not see are named by their ids.",
  params: byWorkflow,
  query: z.strictObject({
    version: z
      .string()
      .regex(/^(?:draft|[1-9]\d{0,8})$/, { error: "must be draft or the number of a version." })
      .default("draft")
      .meta({ description: "`draft`, or the number of a version." }),
  }),
  answer: workflowExplanationSchema,
  failures: ["not_found"],
  async handle({ services, caller, params, query: { version } }) {
    const { explainWorkflow } = await import("../../../workflows/explain/explain-workflow.ts");
    const chosen = version === "draft" ? version : Number(version);
    return await explainWorkflow(services, caller, params.workflow, chosen);
  },
});

export const diagnoseWorkflowRun = defineEndpoint({
  name: "diagnoseWorkflowRun",
  summary: "Say why a run failed, or for what it waits",
  description:
    "The failed step with its rendered inputs, what its error means, and what changed since this node last succeeded in a live run. Others than admins see that something they may see was changed, and when, not by whom.",
  params: byWorkflowRun,
  answer: workflowDiagnosisSchema,
  failures: ["not_found"],
  async handle({ services, caller, params }) {
    const { diagnoseRun } = await import("../../../workflows/explain/diagnose-run.ts");
    return await diagnoseRun(services, caller, params);
  },
});

export const previewWorkflowSchedule = defineEndpoint({
  name: "previewWorkflowSchedule",
  summary: "Say what a cron expression means, with its next five ticks",
  query: z.strictObject({
    schedule: z.string().max(200).meta({ description: "A cron expression of six fields." }),
    timezone: z.string().max(64).optional().meta({
      description: "An IANA time zone. The default is the hub's.",
    }),
  }),
  answer: workflowSchedulePreviewSchema,
  failures: ["bad_request"],
  async handle({ services, query }) {
    const { previewSchedule } = await import("../../../workflows/explain/preview-schedule.ts");
    return await previewSchedule(services, query);
  },
});
