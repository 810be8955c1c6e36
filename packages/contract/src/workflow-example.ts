import { z } from "zod";
import { workflowVariableSchema } from "./workflow-names.ts";

const needed = z.strictObject({
  name: workflowVariableSchema,
  description: z.string().meta({ description: "What it is for, and what to set." }),
});

/** A workflow to start from, with a description of what must be chosen before it can be published. */
export const workflowExampleSchema = z
  .strictObject({
    id: z.string().meta({ description: "Its name for `example` of a new workflow." }),
    name: z.string(),
    description: z.string(),
    needs: z.strictObject({
      rows: z
        .array(
          z.strictObject({
            name: z.string().meta({
              description: "Its name for `rows` of a new workflow. The placeholder is in the body.",
            }),
            connector: z.string().meta({ description: "The key of the connector." }),
            operations: z.array(z.string()).meta({
              description: "The operations of the row that the workflow calls.",
            }),
            description: z.string(),
          }),
        )
        .meta({ description: "Rows whose operations it calls." }),
      secrets: z.array(needed).meta({ description: "Secrets of the workflow that must be set." }),
      env: z.array(needed).meta({ description: "Entries of `settings.env` that must be added." }),
      workflows: z
        .array(
          z.strictObject({
            name: z.string().meta({ description: "The placeholder in the body." }),
            description: z.string(),
          }),
        )
        .meta({ description: "Other workflows that it runs." }),
    }),
    body: z.unknown().meta({
      description:
        "The body. Operations that must be chosen have a tool id such as `choose:http/post#chat`.",
    }),
  })
  .meta({ id: "WorkflowExample" });
export type WorkflowExample = z.infer<typeof workflowExampleSchema>;
