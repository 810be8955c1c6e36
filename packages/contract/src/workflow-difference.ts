import { z } from "zod";
import { workflowEdgeSchema } from "./workflow-body.ts";

/** What differs between the nodes, the triggers or the comments of two bodies. */
const itemDifferenceSchema = z.object({
  added: z.array(z.string()).meta({ description: "Ids that only the newer body has." }),
  removed: z.array(z.string()).meta({ description: "Ids that only the older body has." }),
  changed: z
    .array(
      z.object({
        id: z.string(),
        fields: z.array(z.string()).meta({
          description:
            "JSON pointers to the values that differ, inside the node, trigger or comment.",
        }),
      }),
    )
    .meta({ description: "What both bodies have, with different values." }),
});

/** What differs between two bodies. Defaults that are written out do not differ. */
export const workflowDifferenceSchema = z
  .object({
    sentences: z.array(z.string()).meta({ description: "The differences for people." }),
    nodes: itemDifferenceSchema,
    triggers: itemDifferenceSchema,
    edges: z.object({
      added: z.array(workflowEdgeSchema),
      removed: z.array(workflowEdgeSchema),
    }),
    comments: itemDifferenceSchema,
    settings: z.array(z.string()).meta({
      description: "JSON pointers to the values that differ, inside the settings.",
    }),
    layout: z.boolean().meta({ description: "Whether something moved on the canvas." }),
  })
  .meta({ id: "WorkflowDifference" });
export type WorkflowDifference = z.infer<typeof workflowDifferenceSchema>;
