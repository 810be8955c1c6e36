import { z } from "zod";
import { timeSchema } from "./time.ts";

/** One configured instance of a connector. */
export const rowSchema = z
  .object({
    id: z.uuid(),
    connector: z.string(),
    label: z.string(),
    description: z.string(),
    tags: z.array(z.string()).meta({
      description: "A row without tags is seen by admins only; `everyone` shows it to every user.",
    }),
    disabled: z.boolean(),
    disabled_type: z.boolean().meta({ description: "The connector type as a whole is disabled." }),
    missing: z.array(z.string()).nullable().meta({
      description:
        "Keys of required fields that have no value yet; null while the connector is not installed.",
    }),
    version: z.int().meta({
      description:
        "Grows with every change: give it back with a change, and nobody else's change is lost.",
    }),
    created_at: timeSchema,
    updated_at: timeSchema,
  })
  .meta({ id: "Row" });
export type Row = z.infer<typeof rowSchema>;

/** A configuration value as it may be shown. */
export const rowValueSchema = z
  .object({
    key: z.string(),
    value: z.string().nullable().meta({
      description:
        "What is stored, or else the default; null where there is neither, and always for a secret.",
    }),
    is_set: z.boolean().meta({ description: "Something is stored." }),
    secret: z.boolean(),
    required: z.boolean(),
    description: z.string(),
  })
  .meta({ id: "RowValue" });
export type RowValue = z.infer<typeof rowValueSchema>;

/** An operation of a row, with what stands between it and its callers. */
export const rowOperationSchema = z
  .object({
    key: z.string(),
    tool_id: z.string().meta({ description: "What `hub_get` and `hub_execute` take." }),
    name: z.string(),
    enabled: z.boolean(),
    destructive: z.boolean(),
    test_only: z
      .boolean()
      .meta({ description: "Reachable by the test action only, never over MCP." }),
  })
  .meta({ id: "RowOperation" });
export type RowOperation = z.infer<typeof rowOperationSchema>;

/** A row with its operations, as everyone who sees it may know it. */
export const rowViewSchema = rowSchema
  .extend({ operations: z.array(rowOperationSchema) })
  .meta({ id: "RowView" });
export type RowView = z.infer<typeof rowViewSchema>;

/** A row with its values and operations; secrets are never in it. */
export const rowDetailSchema = rowSchema
  .extend({
    values: z.array(rowValueSchema),
    operations: z.array(rowOperationSchema),
  })
  .meta({ id: "RowDetail" });
export type RowDetail = z.infer<typeof rowDetailSchema>;

/** Answer of switching one operation of a row. */
export const operationStateSchema = z.object({
  row_id: z.uuid(),
  operation: z.string(),
  enabled: z.boolean(),
});
export type OperationState = z.infer<typeof operationStateSchema>;
