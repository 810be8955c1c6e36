import { z } from "zod";
import { rowStateTexts } from "./row-state-texts.ts";
import { timeSchema } from "./time.ts";

/** The states of a row. The first that applies is its state. */
export const rowStateNameSchema = z.enum([
  "disabled",
  "needs_setup",
  "unreachable",
  "refused",
  "failing",
  "needs_review",
  "unused",
  "ready",
]);
export type RowStateName = z.infer<typeof rowStateNameSchema>;

/** What is known of a row: whether it can be called, and whether it was seen to work. */
export const rowStateSchema = z
  .object({
    name: rowStateNameSchema,
    since: timeSchema.nullable().meta({ description: "Null if it is not known." }),
    reason: z.string().nullable().meta({
      description: "One line. For users who are not admins, without texts of the outside system.",
    }),
    waiting: z.int().optional().meta({
      description: "How many operations wait for a review. Absent if none does, and for users.",
    }),
    fix: z
      .object({
        text: z.string(),
        path: z.string().meta({ description: "Path of the page where it is mended." }),
      })
      .nullable()
      .meta({ description: "Null if nothing must be mended, and for users who are not admins." }),
  })
  .meta({ id: "RowState" });
export type RowState = z.infer<typeof rowStateSchema>;

/** The calls of a row in the last 24 hours, counted by whole hours. */
export const rowActivitySchema = z
  .object({
    calls: z.int(),
    errors: z.int().meta({
      description: "Failures of the row. What was denied, cancelled or had wrong params is none.",
    }),
    p95_ms: z.number().nullable().meta({
      description: "95 % of the calls took at most this time, to about 10 %. Null without calls.",
    }),
    last_call_at: timeSchema.nullable(),
  })
  .meta({ id: "RowActivity" });
export type RowActivity = z.infer<typeof rowActivitySchema>;

/** The words that people read for a state. */
export function describeRowState(name: RowStateName): string {
  return rowStateTexts[name];
}
