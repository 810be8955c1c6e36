import { z } from "zod";
import { timeSchema } from "./time.ts";

/** A connector of the hub, as far as rows of it can be made. */
export const connectorTypeSchema = z.object({
  key: z.string(),
  name: z.string(),
  description: z.string(),
  tier: z.enum(["builtin", "plugin"]),
  /** All rows and operations of it are out of reach while true. */
  disabled_type: z.boolean(),
  rows: z.int(),
});
export type ConnectorType = z.infer<typeof connectorTypeSchema>;

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
  created_at: timeSchema,
  updated_at: timeSchema,
});
export type Row = z.infer<typeof rowSchema>;

/** A configuration value as it may be shown. */
export const rowValueSchema = z.object({
  key: z.string(),
  /** Null where nothing is stored, and always for a secret field. */
  value: z.string().nullable(),
  secret: z.boolean(),
  is_set: z.boolean(),
  required: z.boolean(),
  /** What applies while nothing is stored; null without a default, and for secret fields. */
  default: z.string().nullable(),
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

/** Answer of switching a connector type. */
export const typeStateSchema = z.object({ connector: z.string(), disabled_type: z.boolean() });
export type TypeState = z.infer<typeof typeStateSchema>;
