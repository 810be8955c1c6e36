import { z } from "zod";
import { fieldGroupsSchema } from "./row-settings.ts";

/** A manual trigger with the form of its runs. */
export const workflowManualTriggerSchema = z
  .object({
    id: z.string(),
    label: z.string().nullable(),
    takes_fields: z.boolean().meta({
      description: "Without fields, the payload is any JSON object.",
    }),
    groups: fieldGroupsSchema.meta({ description: "The fields as the cards of a form." }),
  })
  .meta({ id: "WorkflowManualTrigger" });
export type WorkflowManualTrigger = z.infer<typeof workflowManualTriggerSchema>;
