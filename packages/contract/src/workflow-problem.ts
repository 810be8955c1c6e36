import { z } from "zod";

/** One problem of a workflow's body. Errors stop publishing; warnings do not. */
export const workflowProblemSchema = z
  .object({
    path: z.string().meta({
      description: "A JSON pointer to the value, such as `/nodes/3/params`; empty for the body.",
    }),
    severity: z.enum(["error", "warning"]),
    message: z.string().meta({ description: "A sentence about what is wrong." }),
    hint: z.string().meta({ description: "What to do about it." }),
  })
  .meta({ id: "WorkflowProblem" });
export type WorkflowProblem = z.infer<typeof workflowProblemSchema>;
