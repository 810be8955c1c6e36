import { z } from "zod";
import { runDetailSchema, runSchema, runStatusSchema } from "./run.ts";
import { timeSchema } from "./time.ts";

/** One page of a history. */
export const runPageSchema = z.object({
  /** Newest first. With filters a page may hold fewer than asked for, and yet not be the last. */
  runs: z.array(runSchema),
  /** What to give as `before` for the next page; null on the last one. */
  next: z.uuid().nullable(),
});
export type RunPage = z.infer<typeof runPageSchema>;

/** One run of a history, with the replays that were made of it. */
export const historyRunSchema = runDetailSchema.extend({
  /** What was sent and answered is shown to who made the call, and to admins. */
  payload_shown: z.boolean(),
  /** Ids of the runs that replayed this one, oldest first. */
  retries: z.array(z.uuid()),
});
export type HistoryRun = z.infer<typeof historyRunSchema>;

const figuresSchema = z.object({
  runs: z.int(),
  by_status: z.partialRecord(runStatusSchema, z.int()),
  /** Of all of them; null where there are none. */
  mean_latency_ms: z.number().nullable(),
});

/** Figures over finished runs, by whole hours. */
export const runSummarySchema = z.object({
  /** The whole hours that the figures are about. */
  from: timeSchema,
  to: timeSchema,
  /** Runs that ended before this moment are counted. */
  counted_until: timeSchema,
  total: figuresSchema,
  /** Runs under way now. */
  running: z.int(),
  /** Busiest first; `connector_id` is null for calls of meta-tools that concern no row. */
  by_row: z.array(
    figuresSchema.extend({ connector_id: z.string().nullable(), label: z.string().nullable() }),
  ),
  /** One point for each hour in which something ended, oldest first. */
  series: z.array(figuresSchema.extend({ at: timeSchema })),
});
export type RunSummary = z.infer<typeof runSummarySchema>;
export type RunFigures = z.infer<typeof figuresSchema>;
