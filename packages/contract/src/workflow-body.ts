import { z } from "zod";
import { workflowBodyLimits } from "./workflow-body-limits.ts";
import {
  workflowNameSchema,
  workflowSeveritySchema,
  workflowVariableSchema,
} from "./workflow-names.ts";
import { workflowNodeSchema } from "./workflow-node.ts";
import { workflowTriggerSchema } from "./workflow-trigger.ts";

/** A connection of two nodes. */
export const workflowEdgeSchema = z
  .strictObject({
    from: z.string().meta({ description: "The id of the node where the edge starts." }),
    to: z.string().meta({ description: "The id of the node where it ends." }),
    case: z.string().optional().meta({
      description:
        "The edge is taken only if its node ends with this case. Only edges of nodes with cases have one.",
    }),
  })
  .meta({ id: "WorkflowEdge" });
export type WorkflowEdge = z.infer<typeof workflowEdgeSchema>;

/** What happens when runs of a workflow meet. */
export const workflowQueueSchema = z
  .strictObject({
    policy: z.enum(["parallel", "queue", "drop"]).default("parallel").meta({
      description:
        "`parallel` runs several at the same time, `queue` one after the other, `drop` refuses a new run while one runs.",
    }),
    runs_at_once: z.int().min(1).max(256).default(8).meta({
      description: "With `parallel`: how many runs run at the same time. Others wait.",
    }),
    frees_place: z.boolean().default(false).meta({
      description:
        "Whether a run that waits, for a time, a person or another run, gives its place to another run. Otherwise it keeps its place.",
    }),
    waiting_max: z.int().min(0).max(10_000).default(1000).meta({
      description: "How many runs may wait. Further ones are refused.",
    }),
  })
  .meta({ id: "WorkflowQueue" });

/** Settings of a workflow that are published with it. */
export const workflowSettingsSchema = z
  .strictObject({
    queue: workflowQueueSchema.prefault({}),
    timeout_s: z.int().min(1).max(86_400).default(600).meta({
      description: "The time limit of a run, in seconds.",
    }),
    severity: workflowSeveritySchema.default("error").meta({
      description: "How serious a failed run is. Error triggers can filter by it.",
    }),
    env: z
      .record(workflowVariableSchema, z.string().max(8192))
      .default({})
      .meta({ description: "Plain values that templates read as `.Env.<name>`. No secrets." }),
  })
  .meta({ id: "WorkflowSettings" });
export type WorkflowSettings = z.infer<typeof workflowSettingsSchema>;

/** A position on the canvas: x to the right and y down, in CSS pixels. */
export const workflowPositionSchema = z.tuple([
  z.number().min(-1_000_000).max(1_000_000),
  z.number().min(-1_000_000).max(1_000_000),
]);

/** A text on the canvas for those who read the workflow. Runs do not use it. */
export const workflowCommentSchema = z
  .strictObject({
    id: workflowNameSchema.meta({ description: "The id of the comment, among comments." }),
    text: z.string().max(workflowBodyLimits.commentCharsMax).default(""),
    position: workflowPositionSchema.meta({
      description: "The top left corner: x to the right and y down, in CSS pixels.",
    }),
    size: z
      .tuple([z.number().min(96).max(2000), z.number().min(48).max(2000)])
      .default([240, 112])
      .meta({ description: "Width and height in CSS pixels." }),
  })
  .meta({ id: "WorkflowComment" });

/**
 * The whole body of a workflow, as it is drawn, written by models, exported and published. Parsing
 * fills in the defaults. The schema checks each field alone; what concerns several fields, such as
 * cycles, is checked by the hub's validation.
 *
 * @example
 * workflowBodySchema.parse({
 *   triggers: [{ id: "nightly", type: "cron", schedule: "0 0 3 * * *", entry: "report" }],
 *   nodes: [{ id: "report", type: "set", value: { at: "{{.Event.At}}" } }],
 * });
 */
export const workflowBodySchema = z
  .strictObject({
    schema: z.literal(1).default(1).meta({ description: "The version of this format." }),
    triggers: z.array(workflowTriggerSchema).max(workflowBodyLimits.triggersMax).default([]),
    nodes: z.array(workflowNodeSchema).max(workflowBodyLimits.nodesMax).default([]),
    edges: z.array(workflowEdgeSchema).max(workflowBodyLimits.edgesMax).default([]),
    settings: workflowSettingsSchema.prefault({}),
    layout: z.record(z.string(), workflowPositionSchema).default({}).meta({
      description: "Positions on the canvas, by the id of the node or trigger.",
    }),
    comments: z.array(workflowCommentSchema).max(workflowBodyLimits.commentsMax).optional().meta({
      description: "Texts on the canvas for those who read the workflow.",
    }),
  })
  .meta({ id: "WorkflowBody" });

/** A parsed body: defaults are filled in. */
export type WorkflowBody = z.output<typeof workflowBodySchema>;

/** A body as it is written: fields with a default may be missing. */
export type WorkflowBodyInput = z.input<typeof workflowBodySchema>;

/** The JSON Schema (draft 2020-12) of a body as it is written. */
export function toWorkflowBodyJsonSchema(): z.core.JSONSchema.BaseSchema {
  return z.toJSONSchema(workflowBodySchema, { io: "input" });
}
