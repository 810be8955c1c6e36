import { z } from "zod";
import { runSummarySchema } from "./run-history.ts";
import { timeSchema } from "./time.ts";

export const overviewRowSchema = z
  .object({
    id: z.string(),
    label: z.string(),
    connector: z.string(),
    calls: z.int(),
    errors: z.int(),
    mean_latency_ms: z.number().nullable(),
  })
  .meta({ id: "OverviewRow" });
export type OverviewRow = z.infer<typeof overviewRowSchema>;

/** The calls of a time, the rows that stand out, and what waits. */
export const overviewSchema = z
  .object({
    from: timeSchema.meta({ description: "The full hours that are counted." }),
    to: timeSchema,
    counted_until: timeSchema.nullable().meta({
      description: "Only calls that ended before this time are counted. Null for users.",
    }),
    counted_from: timeSchema.nullable().meta({
      description: "Only newer calls are counted, because there are too many. Null if all are.",
    }),
    calls: z.int(),
    errors: z.int(),
    denied: z.int(),
    running: z.int(),
    mean_latency_ms: z.number().nullable().meta({ description: "Null without calls." }),
    series: runSummarySchema.shape.series.element
      .omit({ mean_latency_ms: true })
      .array()
      .meta({ description: "One point for each hour with calls, oldest first." }),
    failing: z.array(overviewRowSchema).meta({
      description: "The rows with the most errors; five at most.",
    }),
    slowest: z.array(overviewRowSchema).meta({
      description: "The rows whose calls take longest on average; five at most.",
    }),
    waiting: z.object({
      approvals: z.int().meta({ description: "That the caller may decide; 1,000 at most." }),
      workflow_runs: z.int().meta({
        description:
          "Runs of workflows that are queued or wait, without those of a later time; 1,000 at most. For admins of all workflows, for others of their own.",
      }),
    }),
  })
  .meta({ id: "Overview" });
export type Overview = z.infer<typeof overviewSchema>;

/** How far the caller, or for admins the hub, is on the way to the first call. */
export const setupProgressSchema = z
  .object({
    sees_rows: z.boolean().meta({
      description: "Whether the caller sees a row that the hub did not make for itself.",
    }),
    client_seen_at: timeSchema.nullable().meta({
      description:
        "When a client last used a token of the caller with the scope `mcp`, or the access that the caller gave to an application.",
    }),
    first_call_at: timeSchema.nullable().meta({
      description:
        "The oldest recorded call of an operation by a client that succeeded: of the caller, for admins of any user. Old calls are purged.",
    }),
  })
  .meta({ id: "SetupProgress" });
export type SetupProgress = z.infer<typeof setupProgressSchema>;
