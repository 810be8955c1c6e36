import { z } from "zod";
import { timeSchema } from "./time.ts";
import { workflowIdSchema } from "./workflow-names.ts";
import {
  workflowRunErrorSchema,
  workflowRunSchema,
  workflowStepStateSchema,
} from "./workflow-run.ts";

/** Sentences for people and models. `splitCodeSpans` finds the data in them. */
const sentencesSchema = z.array(z.string()).meta({
  description:
    "Sentences. Texts of the workflow, such as ids and templates, are in code spans of Markdown; nothing else in them is Markdown.",
});

/** A short summary of a workflow. */
export const workflowExplanationSchema = z
  .object({
    workflow_id: workflowIdSchema,
    version: z.int().nullable().meta({ description: "Null for the draft." }),
    summary: z.string(),
    triggers: z.array(
      z.object({
        id: z.string(),
        label: z.string().nullable(),
        type: z.string(),
        sentences: sentencesSchema,
      }),
    ),
    steps: z
      .array(
        z.object({
          node_id: z.string(),
          label: z.string().nullable(),
          type: z.string(),
          changes: z.boolean().meta({
            description: "Whether it changes or sends something outside of its run.",
          }),
          sentences: sentencesSchema,
        }),
      )
      .meta({ description: "In an order in which every edge leads forward." }),
    markdown: z.string().meta({ description: "All of it as one Markdown text." }),
  })
  .meta({ id: "WorkflowExplanation" });
export type WorkflowExplanation = z.infer<typeof workflowExplanationSchema>;

/** A value that differs between two runs. */
const valueDifferenceSchema = z.object({
  path: z.string().meta({ description: "A JSON pointer." }),
  before: z.unknown().optional().meta({ description: "Absent if the value is new. Cut to 1 KiB." }),
  after: z.unknown().optional().meta({ description: "Absent if the value is gone. Cut to 1 KiB." }),
});

/** Why a run failed, or what it waits for. */
export const workflowDiagnosisSchema = z
  .object({
    run: workflowRunSchema,
    summary: z.string(),
    step: z
      .object({
        node_id: z.string(),
        item: z.int().nullable(),
        state: workflowStepStateSchema,
        tries: z.int(),
        started_at: timeSchema,
        ended_at: timeSchema.nullable(),
        input: z.unknown().meta({ description: "The rendered fields, without secrets." }),
        error: workflowRunErrorSchema.omit({ node_id: true }).nullable(),
        warnings: z.array(z.string()),
        http_status: z.int().nullable().meta({
          description: "What the outside system answered.",
        }),
        call_run_id: z.string().nullable(),
        child_run_id: z.string().nullable(),
      })
      .nullable()
      .meta({ description: "The step that failed, or that the run waits for." }),
    led_by: z
      .array(workflowRunErrorSchema)
      .meta({ description: "Failures of earlier nodes that led to this step." }),
    meaning: z
      .object({ code: z.string(), meaning: z.string(), advice: z.string() })
      .nullable()
      .meta({ description: "What the code of the error means, and what to do." }),
    last_success: z
      .object({
        run_id: z.string(),
        version: z.int().nullable(),
        at: timeSchema,
      })
      .nullable()
      .meta({ description: "The last earlier live run in which this node succeeded." }),
    runs_searched: z.int().meta({
      description: "How many earlier runs were looked at to find it.",
    }),
    changes: z
      .object({
        body: z.array(z.string()).meta({
          description: "What differs in the node and in the nodes before it.",
        }),
        input: z.array(valueDifferenceSchema),
        event: z.array(valueDifferenceSchema.extend({ is_read: z.boolean() })).meta({
          description: "`is_read`: whether templates of the node or of nodes before it read it.",
        }),
        records: z
          .array(
            z.object({
              at: timeSchema,
              text: z.string(),
              by: z.string().nullable().meta({ description: "Only for admins." }),
            }),
          )
          .meta({ description: "Recorded changes of what the step uses, newest first." }),
      })
      .nullable()
      .meta({ description: "What changed since the last success. Null if there is none." }),
    sentences: sentencesSchema,
    markdown: z.string(),
  })
  .meta({ id: "WorkflowDiagnosis" });
export type WorkflowDiagnosis = z.infer<typeof workflowDiagnosisSchema>;

/** A cron expression in words, with its next ticks. */
export const workflowSchedulePreviewSchema = z
  .object({
    words: z.string().meta({ description: "Such as `Every weekday at 09:00`, without the zone." }),
    timezone: z.string(),
    ticks: z
      .array(
        z.object({
          at: timeSchema,
          local_time: z
            .string()
            .meta({ description: "The same with the offset of the time zone." }),
        }),
      )
      .meta({ description: "The next five." }),
  })
  .meta({ id: "WorkflowSchedulePreview" });
export type WorkflowSchedulePreview = z.infer<typeof workflowSchedulePreviewSchema>;
