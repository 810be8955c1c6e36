import { z } from "zod";

/** A server in the file of an MCP client, as an import would take it. */
export const plannedServerSchema = z
  .object({
    index: z.int().meta({ description: "Its place in the file." }),
    label: z.string().meta({ description: "The label of its row." }),
    folder: z.string().nullable().meta({
      description: "The folder for which the client keeps it. Null if it is for all folders.",
    }),
    transport: z.enum(["http", "sse", "stdio"]).nullable(),
    target: z.string().nullable().meta({
      description: "Where it connects, or the command that it starts, without secrets.",
    }),
    starts_program: z.boolean(),
    secrets: z.array(z.string()).meta({
      description: "The names of the values that become secrets.",
    }),
    missing: z.array(z.string()).meta({
      description: "The values that the client fills in and the file does not have.",
    }),
    problem: z.string().nullable().meta({
      description: "Why it cannot become a row. Null if it can.",
    }),
  })
  .meta({ id: "PlannedServer" });
export type PlannedServer = z.infer<typeof plannedServerSchema>;

export const importPlanSchema = z
  .object({
    may_start_programs: z.boolean().meta({
      description: "Whether rows may start programs on the hub's machine (`HUB_BRIDGE_STDIO`).",
    }),
    servers: z.array(plannedServerSchema),
  })
  .meta({ id: "ImportPlan" });
export type ImportPlan = z.infer<typeof importPlanSchema>;

/** What an import has made, and what not. */
export const importReportSchema = z
  .object({
    added: z.array(
      z.object({
        index: z.int(),
        id: z.uuid(),
        label: z.string(),
        missing: z.array(z.string()).meta({ description: "Required fields without a value." }),
      }),
    ),
    failed: z.array(z.object({ index: z.int(), label: z.string(), reason: z.string() })),
  })
  .meta({ id: "ImportReport" });
export type ImportReport = z.infer<typeof importReportSchema>;
