import { z } from "zod";
import { timeSchema } from "./time.ts";
import { workflowUserSchema } from "./workflow.ts";

/** An output of a past run that stands in for that of a node in tests of the draft. */
export const workflowPinSchema = z
  .object({
    node_id: z.string().meta({ description: "The node of the draft whose output it is." }),
    bytes: z
      .int()
      .meta({ description: "Size of its JSON, at most 64 KiB. All pins have at most 1 MiB." }),
    pinned_by: workflowUserSchema,
    pinned_at: timeSchema,
  })
  .meta({ id: "WorkflowPin" });
export type WorkflowPin = z.infer<typeof workflowPinSchema>;
