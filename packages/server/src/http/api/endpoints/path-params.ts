import { workflowIdSchema } from "@hub/contract/workflow-names.ts";
import { z } from "zod";

/** A row is named by its complete id. Labels and id prefixes work on the command line only. */
export const byRow = z.object({ row: z.uuid().meta({ description: "Id of a row." }) });

export const byRowAndOperation = byRow.extend({
  operation: z.string().meta({ description: "Key of an operation." }),
});

export const byUser = z.object({ user: z.uuid().meta({ description: "Id of a user." }) });

/** Limits a list to one user. */
export const ofUser = z.strictObject({
  user: z.uuid().optional().meta({ description: "Id of a user." }),
});

export const byWorkflow = z.object({
  workflow: workflowIdSchema.meta({ description: "Id of a workflow." }),
});

export const byWorkflowRun = byWorkflow.extend({
  run: z.string().max(64).meta({ description: "Id of a run." }),
});
