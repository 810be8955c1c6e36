import { z } from "zod";

/** A connector of the hub, of which rows can be made. */
export const connectorTypeSchema = z
  .object({
    key: z.string(),
    name: z.string(),
    icon: z.string().meta({ description: "Name of an icon, as the connector's author chose it." }),
    description: z.string(),
    tier: z.enum(["builtin", "plugin"]),
    disabled_type: z
      .boolean()
      .meta({ description: "All rows and operations of it are out of reach while true." }),
    rows: z.int().meta({ description: "How many rows there are of it." }),
  })
  .meta({ id: "Connector" });
export type ConnectorType = z.infer<typeof connectorTypeSchema>;

/** The type of a field's value once its stored text is read. */
export const fieldBaseSchema = z.enum(["text", "integer", "float", "boolean", "json"]).meta({
  description: "The type of the value: a `number` widget holds an `integer` or a `float`.",
});

/** A field that a row of the connector is configured with. */
export const connectorFieldSchema = z
  .object({
    key: z.string(),
    widget: z.string().meta({
      description: "How a settings page shows it, such as `text`, `dropdown` or `secret`.",
    }),
    base: fieldBaseSchema,
    required: z.boolean(),
    secret: z.boolean(),
    default: z.string().nullable(),
    options: z.array(z.string()).meta({ description: "What a `dropdown` offers." }),
    columns: z.array(z.string()).meta({
      description: "Columns of a `kvlist` or `picker`, whose value is a JSON array of objects.",
    }),
    visible_when: z
      .object({ field: z.string(), values: z.array(z.string()) })
      .nullable()
      .meta({
        description:
          "It counts, and is required, only while another field has one of these values.",
      }),
    description: z.string(),
  })
  .meta({ id: "ConnectorField" });
export type ConnectorField = z.infer<typeof connectorFieldSchema>;

export const connectorOperationSchema = z
  .object({
    key: z.string(),
    name: z.string(),
    description: z.string(),
    destructive: z.boolean(),
    test_only: z
      .boolean()
      .meta({ description: "Reachable by the test action only, never over MCP." }),
  })
  .meta({ id: "ConnectorOperation" });
export type ConnectorOperation = z.infer<typeof connectorOperationSchema>;

/** A connector with what its rows need and can do. */
export const connectorTypeDetailSchema = connectorTypeSchema
  .extend({
    fields: z.array(connectorFieldSchema),
    operations: z.array(connectorOperationSchema),
  })
  .meta({ id: "ConnectorDetail" });
export type ConnectorTypeDetail = z.infer<typeof connectorTypeDetailSchema>;

/** Answer of switching a connector type. */
export const typeStateSchema = z.object({ connector: z.string(), disabled_type: z.boolean() });
export type TypeState = z.infer<typeof typeStateSchema>;
