import { z } from "zod";
import { logoSchema } from "./logo.ts";

/** A connector type of the hub. Rows are its instances. */
export const connectorTypeSchema = z
  .object({
    key: z.string(),
    name: z.string(),
    icon: z.string().meta({ description: "Name of an icon, chosen by the connector's author." }),
    logo: logoSchema,
    description: z.string(),
    tier: z.enum(["builtin", "plugin"]),
    disabled_type: z
      .boolean()
      .meta({ description: "While true, none of its rows and operations can be called." }),
    rows: z.int().meta({ description: "The number of its rows." }),
    operation_count: z.int().meta({ description: "The number of its operations." }),
    operations_by_row: z.boolean().meta({
      description:
        "Whether each row brings its own operations, which the hub discovers. Then `operation_count` is 0.",
    }),
    made_from: z.string().nullable().meta({
      description:
        "Set if the hub makes the rows: from what, and what to change instead of the rows. They are neither added nor changed by hand, but can be disabled. Each brings its own operations.",
    }),
    has_accounts: z.boolean().meta({
      description: "Whether its rows may use accounts of their users: see `access` of a row.",
    }),
  })
  .meta({ id: "Connector" });
export type ConnectorType = z.infer<typeof connectorTypeSchema>;

/** A connector type in the list of all. */
export const listedConnectorTypeSchema = connectorTypeSchema
  .extend({
    row_tags: z
      .array(z.string())
      .optional()
      .meta({ description: "The first tags of its rows. Only for admins." }),
    row_tag_count: z
      .int()
      .optional()
      .meta({ description: "How many tags its rows have. Only for admins." }),
  })
  .meta({ id: "ListedConnector" });
export type ListedConnectorType = z.infer<typeof listedConnectorTypeSchema>;

/** Rows whose connector is not there, such as those of a plugin that was uninstalled. */
export const absentConnectorSchema = z
  .object({
    key: z.string(),
    rows: z.int().meta({ description: "The number of its rows." }),
  })
  .meta({ id: "AbsentConnector" });
export type AbsentConnector = z.infer<typeof absentConnectorSchema>;

/** The type of a field's value after its stored text is parsed. */
export const fieldBaseSchema = z.enum(["text", "integer", "float", "boolean", "json"]).meta({
  description: "The type of the value. A `number` widget has an `integer` or a `float`.",
});

/** A configuration field of a connector's rows. */
export const connectorFieldSchema = z
  .object({
    key: z.string(),
    widget: z.string().meta({
      description: "The widget on the settings page, such as `text`, `dropdown` or `secret`.",
    }),
    base: fieldBaseSchema,
    required: z.boolean(),
    secret: z.boolean(),
    default: z.string().nullable(),
    options: z.array(z.string()).meta({ description: "The options of a `dropdown`." }),
    columns: z.array(z.string()).meta({
      description: "Columns of a `kvlist` or `picker`, whose value is a JSON array of objects.",
    }),
    visible_when: z
      .object({ field: z.string(), values: z.array(z.string()) })
      .nullable()
      .meta({
        description:
          "The field is used, and can be required, only while another field has one of these values.",
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
    reads: z.boolean().meta({
      description: "Whether its author says that it only reads: `hub_read` runs it.",
    }),
    may_mark: z.boolean().meta({
      description: "Whether admins say, row by row, that it only reads.",
    }),
    test_only: z.boolean().meta({ description: "Only a test can call it, never MCP." }),
  })
  .meta({ id: "ConnectorOperation" });
export type ConnectorOperation = z.infer<typeof connectorOperationSchema>;

/** A connector with its fields and operations. */
export const connectorTypeDetailSchema = connectorTypeSchema
  .extend({
    fields: z.array(connectorFieldSchema),
    operations: z.array(connectorOperationSchema),
  })
  .meta({ id: "ConnectorDetail" });
export type ConnectorTypeDetail = z.infer<typeof connectorTypeDetailSchema>;

/** The answer after a connector type is enabled or disabled. */
export const typeStateSchema = z.object({ connector: z.string(), disabled_type: z.boolean() });
export type TypeState = z.infer<typeof typeStateSchema>;
