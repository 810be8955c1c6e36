import { z } from "zod";
import { timeSchema } from "./time.ts";

/** One configured instance of a connector. */
export const rowSchema = z.object({
  id: z.uuid(),
  connector: z.string(),
  label: z.string(),
  description: z.string(),
  /** A row without tags is seen by admins only; `everyone` shows it to every user. */
  tags: z.array(z.string()),
  disabled: z.boolean(),
  /** The connector type as a whole is disabled. */
  disabled_type: z.boolean(),
  /** Keys of required fields that have no value yet; null while the connector is not installed. */
  missing: z.array(z.string()).nullable(),
  /** Grows with every change: give it back with a change, and nobody else's change is lost. */
  version: z.int(),
  created_at: timeSchema,
  updated_at: timeSchema,
});
export type Row = z.infer<typeof rowSchema>;

/** A configuration value as it may be shown. */
export const rowValueSchema = z.object({
  key: z.string(),
  /** What is stored, or else the default; null where there is neither, and always for a secret. */
  value: z.string().nullable(),
  /** Something is stored. */
  is_set: z.boolean(),
  secret: z.boolean(),
  required: z.boolean(),
  description: z.string(),
});
export type RowValue = z.infer<typeof rowValueSchema>;

/** An operation of a row, with what stands between it and its callers. */
export const rowOperationSchema = z.object({
  key: z.string(),
  /** What `hub_get` and `hub_execute` take. */
  tool_id: z.string(),
  name: z.string(),
  enabled: z.boolean(),
  destructive: z.boolean(),
  /** Reachable by `row test` only, never over MCP. */
  test_only: z.boolean(),
});
export type RowOperation = z.infer<typeof rowOperationSchema>;

/** A row with its operations, as everyone who sees it may know it. */
export const rowViewSchema = rowSchema.extend({ operations: z.array(rowOperationSchema) });
export type RowView = z.infer<typeof rowViewSchema>;

/** A row with its values and operations; secrets are never in it. */
export const rowDetailSchema = rowSchema.extend({
  values: z.array(rowValueSchema),
  operations: z.array(rowOperationSchema),
});
export type RowDetail = z.infer<typeof rowDetailSchema>;

/** Answer of switching one operation of a row. */
export const operationStateSchema = z.object({
  row_id: z.uuid(),
  operation: z.string(),
  enabled: z.boolean(),
});
export type OperationState = z.infer<typeof operationStateSchema>;
