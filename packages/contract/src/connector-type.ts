import { z } from "zod";

/** A connector of the hub, of which rows can be made. */
export const connectorTypeSchema = z.object({
  key: z.string(),
  name: z.string(),
  description: z.string(),
  tier: z.enum(["builtin", "plugin"]),
  /** All rows and operations of it are out of reach while true. */
  disabled_type: z.boolean(),
  /** How many rows there are of it. */
  rows: z.int(),
});
export type ConnectorType = z.infer<typeof connectorTypeSchema>;

/** A field that a row of the connector is configured with. */
export const connectorFieldSchema = z.object({
  key: z.string(),
  /** How a settings page shows it, such as `text`, `dropdown` or `secret`. */
  widget: z.string(),
  required: z.boolean(),
  secret: z.boolean(),
  default: z.string().nullable(),
  /** What a `dropdown` offers. */
  options: z.array(z.string()),
  /** Columns of a `kvlist` or `picker`, whose value is a JSON array of objects. */
  columns: z.array(z.string()),
  /** It counts, and is required, only while another field has one of these values. */
  visible_when: z.object({ field: z.string(), values: z.array(z.string()) }).nullable(),
  description: z.string(),
});
export type ConnectorField = z.infer<typeof connectorFieldSchema>;

export const connectorOperationSchema = z.object({
  key: z.string(),
  name: z.string(),
  description: z.string(),
  destructive: z.boolean(),
  /** Reachable by `row test` only, never over MCP. */
  test_only: z.boolean(),
});
export type ConnectorOperation = z.infer<typeof connectorOperationSchema>;

/** A connector with what its rows need and can do. */
export const connectorTypeDetailSchema = connectorTypeSchema.extend({
  fields: z.array(connectorFieldSchema),
  operations: z.array(connectorOperationSchema),
});
export type ConnectorTypeDetail = z.infer<typeof connectorTypeDetailSchema>;

/** Answer of switching a connector type. */
export const typeStateSchema = z.object({ connector: z.string(), disabled_type: z.boolean() });
export type TypeState = z.infer<typeof typeStateSchema>;
