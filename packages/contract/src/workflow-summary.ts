import { z } from "zod";
import { timeSchema } from "./time.ts";
import { workflowSchema } from "./workflow.ts";
import { workflowRunSchema, workflowRunStateSchema } from "./workflow-run.ts";

/** A trigger of the published body, as lists show it. */
export const workflowTriggerMarkSchema = z
  .object({
    id: z.string(),
    type: z.string(),
    schedule: z.string().nullable().meta({ description: "Of cron." }),
    timezone: z.string().nullable().meta({ description: "Of cron; null for the hub's." }),
    words: z.string().nullable().meta({
      description: "The schedule in words, such as `Every day at 03:00`. Of cron.",
    }),
  })
  .meta({ id: "WorkflowTriggerMark" });
export type WorkflowTriggerMark = z.infer<typeof workflowTriggerMarkSchema>;

/** How many of the newest runs a list of workflows shows of each. */
export const recentRunsMax = 20;

/** A run as a list of workflows draws it. */
export const workflowRecentRunSchema = z
  .object({
    state: workflowRunStateSchema,
    at: timeSchema.meta({ description: "When it started; before that, when it was made." }),
    took_ms: z.int().nullable().meta({
      description: "From its start to its end. Null before that, and if it never started.",
    }),
  })
  .meta({ id: "WorkflowRecentRun" });
export type WorkflowRecentRun = z.infer<typeof workflowRecentRunSchema>;

/** A workflow in a list, with what starts it and how its last run went. */
export const workflowSummarySchema = workflowSchema
  .extend({
    triggers: z.array(workflowTriggerMarkSchema).nullable().meta({
      description: "The published triggers. Null for callers who only share a tag.",
    }),
    last_run: workflowRunSchema.nullable().meta({
      description: "The newest run that does not wait for its time. Null without one.",
    }),
    recent_runs: z.array(workflowRecentRunSchema).meta({
      description: `The newest live runs that do not wait for their time, newest first: at most ${recentRunsMax}, and only those among the newest runs of all kinds.`,
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
    words: z.string().nullable().meta({
      description: "The schedule in words, such as `Every day at 03:00`.",
    }),
    ticks: z.array(timeSchema).meta({ description: "The next ticks, at most ten." }),
  })
  .meta({ id: "WorkflowTicks" });
export type WorkflowTicks = z.infer<typeof workflowTicksSchema>;
