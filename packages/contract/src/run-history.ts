import { z } from "zod";
import { runDetailSchema, runSchema, runStatusSchema } from "./run.ts";
import { timeSchema } from "./time.ts";

/** A page of a history. */
export const runPageSchema = z
  .object({
    runs: z.array(runSchema).meta({
      description:
        "Newest first. With filters a page may contain fewer calls than `limit` although `next` names another page.",
    }),
    next: z
      .uuid()
      .nullable()
      .meta({ description: "The `before` of the next page; null on the last page." }),
  })
  .meta({ id: "RunPage" });
export type RunPage = z.infer<typeof runPageSchema>;

/** A call of a history, with the calls that retried it. */
export const historyRunSchema = runDetailSchema
  .extend({
    payload_shown: z.boolean().meta({
      description: "The user who made the call and admins can see the request and the response.",
    }),
    retries: z
      .array(z.uuid())
      .meta({ description: "Ids of the calls that retried this one, oldest first." }),
    workflow_id: z.string().nullable().meta({
      description: "The workflow of `workflow_run_id`. Null if the caller does not see it.",
    }),
  })
  .meta({ id: "RunDetail" });
export type HistoryRun = z.infer<typeof historyRunSchema>;

const figuresSchema = z
  .object({
    runs: z.int(),
    by_status: z.partialRecord(runStatusSchema, z.int()),
    mean_latency_ms: z
      .number()
      .nullable()
      .meta({ description: "Of all calls; null if there are none." }),
  })
  .meta({ id: "RunFigures" });

/** Statistics of finished calls, by full hours. */
export const runSummarySchema = z
  .object({
    from: timeSchema.meta({ description: "The full hours that are counted." }),
    to: timeSchema,
    counted_until: timeSchema.meta({
      description: "Only calls that ended before this time are counted.",
    }),
    total: figuresSchema,
    running: z.int().meta({ description: "The number of running calls." }),
    by_row: z
      .array(
        figuresSchema.extend({ connector_id: z.string().nullable(), label: z.string().nullable() }),
      )
      .meta({
        description:
          "Most calls first. `connector_id` is null for calls of meta-tools without a row.",
      }),
    series: z
      .array(figuresSchema.extend({ at: timeSchema }))
      .meta({ description: "One point for each hour in which a call ended, oldest first." }),
  })
  .meta({ id: "RunSummary" });
export type RunSummary = z.infer<typeof runSummarySchema>;
export type RunFigures = z.infer<typeof figuresSchema>;

/** The newest calls that match a filter, counted by full hours. */
export const runCountsSchema = z
  .object({
    from: timeSchema.meta({ description: "The full hours that are counted." }),
    to: timeSchema,
    counted_from: timeSchema.nullable().meta({
      description:
        "Only calls that started after this time are counted, because there are too many; null if all are counted.",
    }),
    runs: z.int().meta({ description: "The number of calls that have ended." }),
    running: z.int().meta({ description: "The number of running calls." }),
    series: z
      .array(figuresSchema.omit({ mean_latency_ms: true }).extend({ at: timeSchema }))
      .meta({ description: "One point for each hour in which a call started, oldest first." }),
  })
  .meta({ id: "RunCounts" });
export type RunCounts = z.infer<typeof runCountsSchema>;
