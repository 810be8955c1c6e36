import { z } from "zod";
import { runDetailSchema, runSchema, runStatusSchema } from "./run.ts";
import { timeSchema } from "./time.ts";

/** One page of a history. */
export const runPageSchema = z
  .object({
    runs: z.array(runSchema).meta({
      description:
        "Newest first. With filters a page may hold fewer than asked for, and yet not be the last.",
    }),
    next: z
      .uuid()
      .nullable()
      .meta({ description: "What to give as `before` for the next page; null on the last one." }),
  })
  .meta({ id: "RunPage" });
export type RunPage = z.infer<typeof runPageSchema>;

/** One run of a history, with the replays that were made of it. */
export const historyRunSchema = runDetailSchema
  .extend({
    payload_shown: z.boolean().meta({
      description: "What was sent and answered is shown to who made the call, and to admins.",
    }),
    retries: z
      .array(z.uuid())
      .meta({ description: "Ids of the runs that replayed this one, oldest first." }),
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
      .meta({ description: "Of all of them; null where there are none." }),
  })
  .meta({ id: "RunFigures" });

/** Figures over finished runs, by whole hours. */
export const runSummarySchema = z
  .object({
    from: timeSchema.meta({ description: "The whole hours that the figures are about." }),
    to: timeSchema,
    counted_until: timeSchema.meta({
      description: "Runs that ended before this moment are counted.",
    }),
    total: figuresSchema,
    running: z.int().meta({ description: "Runs under way now." }),
    by_row: z
      .array(
        figuresSchema.extend({ connector_id: z.string().nullable(), label: z.string().nullable() }),
      )
      .meta({
        description:
          "Busiest first; `connector_id` is null for calls of meta-tools that concern no row.",
      }),
    series: z
      .array(figuresSchema.extend({ at: timeSchema }))
      .meta({ description: "One point for each hour in which something ended, oldest first." }),
  })
  .meta({ id: "RunSummary" });
export type RunSummary = z.infer<typeof runSummarySchema>;
export type RunFigures = z.infer<typeof figuresSchema>;
