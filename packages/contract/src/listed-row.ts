import { z } from "zod";
import { rowSchema } from "./row.ts";
import { rowActivitySchema, rowStateNameSchema, rowStateSchema } from "./row-state.ts";

/** What the list of rows can be sorted by. */
export const rowSortSchema = z.enum([
  "label",
  "connector",
  "state",
  "calls",
  "errors",
  "p95",
  "last_call",
]);
export type RowSort = z.infer<typeof rowSortSchema>;

/** A row in a list. */
export const listedRowSchema = rowSchema
  .extend({
    connector_name: z.string().meta({
      description: "The name of the connector; its key if it is not installed.",
    }),
    state: rowStateSchema,
    activity: rowActivitySchema.nullable().meta({ description: "Null for users." }),
    operations_enabled: z.int().meta({
      description: "How many of the operations that the caller sees are enabled and reviewed.",
    }),
  })
  .meta({ id: "ListedRow" });
export type ListedRow = z.infer<typeof listedRowSchema>;

/** How many rows are in each state; states without rows are left out. */
export const rowsByStateSchema = z.partialRecord(rowStateNameSchema, z.int());
export type RowsByState = z.infer<typeof rowsByStateSchema>;

/** Rows that one request may change. */
export const bulkRowsMax = 500;

export const bulkActionSchema = z.enum([
  "enable",
  "disable",
  "add_tag",
  "remove_tag",
  "approve_reads",
]);
export type BulkAction = z.infer<typeof bulkActionSchema>;

/** A change of many rows. Each row is changed on its own, so some can fail. */
export const bulkResultSchema = z
  .object({
    done: z.array(z.uuid()).meta({ description: "The rows that are now as asked." }),
    unchanged: z.array(z.uuid()).meta({
      description: "Those of `done` that were so before. `approve_reads` does not name them.",
    }),
    failed: z.array(z.object({ id: z.uuid(), label: z.string(), error: z.string() })),
  })
  .meta({ id: "BulkResult" });
export type BulkResult = z.infer<typeof bulkResultSchema>;
