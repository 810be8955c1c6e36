import { z } from "zod";
import { timeSchema } from "./time.ts";
import { workflowSchema } from "./workflow.ts";
import { workflowRunSchema } from "./workflow-run.ts";

/** A trigger of the published body, as lists show it. */
export const workflowTriggerMarkSchema = z
  .object({
    id: z.string(),
    type: z.string(),
    schedule: z.string().nullable().meta({ description: "Of cron." }),
    timezone: z.string().nullable().meta({ description: "Of cron; null for the hub's." }),
  })
  .meta({ id: "WorkflowTriggerMark" });
export type WorkflowTriggerMark = z.infer<typeof workflowTriggerMarkSchema>;

/** A workflow in a list, with what starts it and how its last run went. */
export const workflowSummarySchema = workflowSchema
  .extend({
    triggers: z.array(workflowTriggerMarkSchema).nullable().meta({
      description: "The published triggers. Null for callers who only share a tag.",
    }),
    last_run: workflowRunSchema.nullable().meta({
      description: "The newest run that does not wait for its time. Null without one.",
    }),
    next_run_at: timeSchema.nullable().meta({
      description:
        "When a cron trigger fires or a scheduled run starts next. Null for callers who only share a tag.",
    }),
  })
  .meta({ id: "WorkflowSummary" });
export type WorkflowSummary = z.infer<typeof workflowSummarySchema>;

/** A cron trigger with its next ticks. */
export const workflowTicksSchema = z
  .object({
    trigger_id: z.string(),
    schedule: z.string(),
    timezone: z.string().meta({ description: "The time zone of the schedule." }),
    ticks: z.array(timeSchema).meta({ description: "The next ticks, at most ten." }),
  })
  .meta({ id: "WorkflowTicks" });
export type WorkflowTicks = z.infer<typeof workflowTicksSchema>;
