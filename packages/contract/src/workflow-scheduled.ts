import { z } from "zod";
import { timeSchema } from "./time.ts";

/** A run of a workflow that waits for its time. */
export const workflowScheduledRunSchema = z
  .object({
    id: z.string().meta({ description: "Id of the run." }),
    scheduled_at: timeSchema.meta({ description: "When it starts." }),
    created_at: timeSchema,
    trigger_id: z.string().meta({ description: "The `schedule_at` trigger." }),
    version: z.int().nullable().meta({ description: "Null for a run of the draft." }),
    chain_depth: z.int().meta({
      description: "How many scheduled runs led to one another up to this one. At most 100.",
    }),
  })
  .meta({ id: "WorkflowScheduledRun" });
export type WorkflowScheduledRun = z.infer<typeof workflowScheduledRunSchema>;
