import { z } from "zod";
import { logoSchema } from "./logo.ts";
import { rowStateNameSchema } from "./row-state.ts";

/** What a search of the whole hub finds: a few of each kind. */
export const foundSchema = z
  .object({
    connectors: z.array(z.object({ key: z.string(), name: z.string(), logo: logoSchema })),
    rows: z
      .array(
        z.object({
          id: z.uuid(),
          label: z.string(),
          connector: z.string().meta({ description: "Key of the connector." }),
          connector_name: z.string(),
          logo: logoSchema,
          state: rowStateNameSchema,
        }),
      )
      .meta({ description: "`connector` is the key of the row's connector." }),
    operations: z
      .array(
        z.object({
          row: z.uuid(),
          label: z.string(),
          connector: z.string(),
          logo: logoSchema,
          key: z.string(),
          name: z.string(),
        }),
      )
      .meta({ description: "`row` and `label` are those of its row." }),
    workflows: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        may_start: z.boolean().meta({ description: "Whether the caller may start it by hand." }),
        may_manage: z.boolean().meta({ description: "Whether the caller owns it or is an admin." }),
      }),
    ),
    workflow_runs: z
      .array(z.object({ id: z.string(), workflow: z.string(), name: z.string() }))
      .meta({ description: "The run of a workflow with this id. `name` is that of its workflow." }),
    users: z
      .array(z.object({ id: z.string(), email: z.string(), name: z.string() }))
      .meta({ description: "Empty for users who are not admins." }),
    tags: z
      .array(z.object({ name: z.string() }))
      .meta({ description: "Empty for users who are not admins." }),
  })
  .meta({ id: "Found" });
export type Found = z.infer<typeof foundSchema>;
