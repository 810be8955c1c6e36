import { z } from "zod";

/** A template as it is rendered with the values of a run. */
export const workflowPreviewSchema = z
  .object({
    value: z.unknown().meta({
      description: "The rendered value, cut to 64 KiB. A secret is `[secret NAME]`.",
    }),
    warnings: z.array(z.string()),
    error: z
      .object({ message: z.string(), code: z.string() })
      .nullable()
      .meta({ description: "Why the template cannot be rendered. Its value is then null." }),
  })
  .meta({ id: "WorkflowPreview" });
export type WorkflowPreview = z.infer<typeof workflowPreviewSchema>;
