import { z } from "zod";
import { timeSchema } from "./time.ts";

/** The state of a run of a workflow. The last five are final. */
export const workflowRunStateSchema = z
  .enum(["queued", "running", "waiting", "succeeded", "failed", "cancelled", "dropped", "unknown"])
  .meta({
    description:
      "`queued` waits for capacity or for its time, `waiting` for a time, a person or another run. `dropped` was refused by the queue policy. `unknown` is a dry run that could not go on everywhere, because it does not know what a step would return. The last five are final.",
  });
export type WorkflowRunState = z.infer<typeof workflowRunStateSchema>;

/** How a run runs. */
export const workflowRunModeSchema = z.enum(["live", "dry", "node"]).meta({
  description:
    "`live` is a usual run. `dry` makes reads only, and records what a live run would call. `node` runs one node alone. Only live runs start error workflows and scheduled runs.",
});
export type WorkflowRunMode = z.infer<typeof workflowRunModeSchema>;

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
    mode: workflowRunModeSchema,
    trigger_id: z.string(),
    trigger_type: z.string(),
    started_by: z.string().nullable().meta({
      description:
        "Who or what started the run, such as `webhook orders` or an e-mail. Null for callers who only share a tag.",
    }),
    parent_run_id: z.string().nullable().meta({
      description: "The run that this one repeats or resumes, or whose node started it.",
    }),
    resumed_by_run_id: z.string().nullable().meta({
      description: "The run that resumes this one. A run is resumed once; resume that one then.",
    }),
    dropped_runs: z.int().nullable().meta({
      description:
        "How many refused runs a dropped one stands for. Within a minute, those of one trigger and one starter share a record. Null for other runs.",
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
  "unknown",
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
    would_call: z.boolean().meta({
      description:
        "The step of a dry run that a live run would carry out. `input` is what it would send.",
    }),
    is_pinned: z.boolean().meta({
      description: "The output is a pinned one, or that of an earlier run.",
    }),
    is_taken_over: z.boolean().meta({
      description: "The run that this one resumes made the step. It did not run again.",
    }),
    is_decided: z.boolean().meta({ description: "A person said how the step ended." }),
    skip_reason: z.enum(["disabled"]).nullable().meta({
      description:
        "Why a skipped step ran nothing. `disabled`: the node is switched off, and `output` is what it passed on. Null for steps that were not skipped.",
    }),
    may_have_happened: z.boolean().meta({
      description:
        "The step did not succeed, but the outside system may have carried it out. A resume needs a decision about it.",
    }),
    call_run_id: z.string().nullable().meta({ description: "The recorded call of the step." }),
    pending_call_id: z.string().nullable().meta({
      description:
        "The call of the step about which people are or were asked, because a rule asks before it. Its page is `/approvals/calls/{id}`. Null if they were not asked, or the question has ended without a decision.",
    }),
    child_run_id: z.string().nullable().meta({ description: "The run of another workflow." }),
    wake_at: timeSchema.nullable(),
    started_at: timeSchema.nullable(),
    ended_at: timeSchema.nullable(),
  })
  .meta({ id: "WorkflowStep" });
export type WorkflowStep = z.infer<typeof workflowStepSchema>;

/** A committed step in the events of a run, without its large values. */
export const workflowStepEventSchema = workflowStepSchema
  .omit({ input: true, output: true, warnings: true, pending_call_id: true })
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

/** Outputs that stand in for those of nodes, by node. */
export const workflowPinsSchema = z.record(z.string(), z.unknown()).meta({
  description:
    "Outputs that stand in for those of nodes, by node id: at most 1 MiB each, and 4 MiB together. Of a node with `for_each`, the list of the outputs of its items. Of a branch or a switch, its output, which is the case. Of an approval, the case as a text, or an object with `case`.",
});

/** What makes a run a dry run, or a run of one node. */
export const workflowDryRunSchema = z.object({
  dry_run: z.boolean().optional().meta({
    description:
      "Makes reads only. Everything with side effects (a destructive operation, other methods than GET and HEAD, messages, answers, runs of other workflows) is recorded with its rendered input and `would_call`. Its output is a pinned one, else a sample of the operation's result, else unknown: what follows from an unknown output does not run, and the run ends as `unknown`.",
  }),
  only_node: z.string().max(64).optional().meta({
    description:
      "Runs this node alone. The outputs that it reads come from `pins` and `pins_from`. Without `dry_run`, the node really runs.",
  }),
  pins: workflowPinsSchema.optional(),
  draft_pins: z.boolean().optional().meta({
    description:
      "Adds the outputs that are pinned for tests of the draft. Those in `pins` come first.",
  }),
  pins_from: z.string().max(64).optional().meta({
    description:
      "A run of this workflow. With `only_node`, its outputs are those of the other nodes. With `dry_run`, they stand in for the outputs of steps with side effects. Without `payload` and `trigger_id`, its event is the event.",
  }),
});
export type WorkflowDryRun = z.infer<typeof workflowDryRunSchema>;

/** What a person says of a step that may have happened. */
export const workflowDecisionSchema = z
  .strictObject({
    node_id: z.string().max(64),
    item: z.int().min(0).optional().meta({ description: "The index in `for_each`." }),
    decision: z.enum(["repeat", "succeeded", "failed"]).meta({
      description:
        "`repeat` runs the step again, with the same idempotency key. `succeeded` goes on with `output`. `failed` goes on by the `on_error` of the node.",
    }),
    output: z.unknown().optional().meta({
      description: "With `succeeded`: the output of the step, at most 1 MiB. The default is null.",
    }),
  })
  .meta({ id: "WorkflowDecision" });
export type WorkflowDecision = z.infer<typeof workflowDecisionSchema>;

/** By which body a run is resumed. */
export const workflowResumeBodySchema = z.enum(["then", "draft", "published"]).meta({
  description:
    "`then` is the body of the run. With another one, steps are taken over only of nodes that have not changed, and whose nodes before have not.",
});
export type WorkflowResumeBody = z.infer<typeof workflowResumeBodySchema>;

/** What a resume does, or would do. */
export const workflowResumeSchema = z
  .object({
    is_same_run: z.boolean().meta({
      description: "A run that waits for a person goes on itself. A failed one gets a new run.",
    }),
    taken_over: z.array(z.string()).meta({
      description: "The nodes whose outputs are taken over. They do not run again.",
    }),
    runs_again: z.array(z.string()).meta({
      description: "The nodes that have run, at least in part, and run again.",
    }),
    undecided: z
      .array(
        z.object({
          node_id: z.string(),
          item: z.int().nullable(),
          message: z.string(),
        }),
      )
      .meta({
        description: "The steps that may have happened and have no decision. Each needs one.",
      }),
  })
  .meta({ id: "WorkflowResume" });
export type WorkflowResume = z.infer<typeof workflowResumeSchema>;

/** The outcome of a resume. */
export const workflowResumedSchema = workflowOutcomeSchema
  .extend(workflowResumeSchema.omit({ undecided: true }).shape)
  .meta({ id: "WorkflowResumed" });
export type WorkflowResumed = z.infer<typeof workflowResumedSchema>;
