import { z } from "zod";
import { timeSchema } from "./time.ts";

/** The state of a run of a workflow. The last four are final. */
export const workflowRunStateSchema = z
  .enum(["queued", "running", "waiting", "succeeded", "failed", "cancelled", "dropped"])
  .meta({
    description:
      "`queued` waits for room or for its time, `waiting` for a time, a person or another run. `dropped` was refused by the queue policy. The last four are final.",
  });
export type WorkflowRunState = z.infer<typeof workflowRunStateSchema>;

/** Why a run or a step failed. */
export const workflowRunErrorSchema = z.object({
  message: z.string(),
  code: z.string(),
  node_id: z
    .string()
    .nullable()
    .meta({ description: "The node that failed; null for the run as a whole." }),
});

/** A run of a workflow as lists show it. */
export const workflowRunSchema = z
  .object({
    id: z.string(),
    workflow_id: z.string(),
    version: z.int().nullable().meta({ description: "Null for a run of the draft." }),
    state: workflowRunStateSchema,
    trigger_id: z.string(),
    trigger_type: z.string(),
    started_by: z.string().nullable().meta({
      description:
        "Who or what started the run, such as `webhook orders` or an e-mail. Null for callers who only share a tag.",
    }),
    parent_run_id: z.string().nullable().meta({
      description: "The run that this one repeats, or whose node started it.",
    }),
    error: workflowRunErrorSchema.nullable().meta({
      description: "Null unless the run failed, and for callers who only share a tag.",
    }),
    waiting_for: z.unknown().meta({
      description:
        "For what a waiting run waits: `{kind, …}`, where kind is `time`, `run`, `approval` or `person`. Null otherwise.",
    }),
    scheduled_at: timeSchema.nullable(),
    created_at: timeSchema,
    started_at: timeSchema.nullable(),
    ended_at: timeSchema.nullable(),
  })
  .meta({ id: "WorkflowRun" });
export type WorkflowRun = z.infer<typeof workflowRunSchema>;

export const workflowStepStateSchema = z.enum([
  "running",
  "succeeded",
  "failed",
  "skipped",
  "waiting",
  "cancelled",
]);

/** A node of a run, or one item of its `for_each`. */
export const workflowStepSchema = z
  .object({
    node_id: z.string(),
    item: z.int().nullable().meta({ description: "The index in `for_each`; null for the node." }),
    state: workflowStepStateSchema,
    tries: z.int(),
    case: z.string().nullable().meta({ description: "The case along which the run went on." }),
    input: z.unknown().meta({ description: "The rendered fields, cut to 64 KiB." }),
    output: z.unknown(),
    error: z.object({ message: z.string(), code: z.string() }).nullable(),
    warnings: z.array(z.string()),
    call_run_id: z.string().nullable().meta({ description: "The audit run of the step's call." }),
    child_run_id: z.string().nullable().meta({ description: "The run of another workflow." }),
    wake_at: timeSchema.nullable(),
    started_at: timeSchema.nullable(),
    ended_at: timeSchema.nullable(),
  })
  .meta({ id: "WorkflowStep" });
export type WorkflowStep = z.infer<typeof workflowStepSchema>;

/** A committed step in the events of a run, without its large values. */
export const workflowStepEventSchema = workflowStepSchema
  .omit({ input: true, output: true, warnings: true })
  .meta({ id: "WorkflowStepEvent" });
export type WorkflowStepEvent = z.infer<typeof workflowStepEventSchema>;

/** What happened in a run. The run is the last event. */
export type WorkflowRunEvent = { step: WorkflowStepEvent } | { run: WorkflowRun };

/** A run with its event and its steps. */
export const workflowRunDetailSchema = workflowRunSchema
  .extend({
    event: z.unknown().meta({
      description:
        "What `.Event` is in templates, cut to 64 KiB. Null for callers who only share a tag.",
    }),
    steps: z.array(workflowStepSchema).nullable().meta({
      description: "Null for callers who only share a tag.",
    }),
  })
  .meta({ id: "WorkflowRunDetail" });
export type WorkflowRunDetail = z.infer<typeof workflowRunDetailSchema>;

/** What a started run has come to. */
export const workflowOutcomeSchema = z
  .object({
    run_id: z.string(),
    state: workflowRunStateSchema,
    output: z.unknown().meta({
      description:
        "The last output of a run that succeeded. Encrypted values of its owner are `[secret]` for others.",
    }),
    error: z.string().nullable(),
  })
  .meta({ id: "WorkflowOutcome" });
export type WorkflowOutcome = z.infer<typeof workflowOutcomeSchema>;
