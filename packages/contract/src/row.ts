import { z } from "zod";
import { logoSchema } from "./logo.ts";
import { rowActivitySchema, rowStateSchema } from "./row-state.ts";
import { timeSchema } from "./time.ts";

/** Who may test a row: admins only, or also the users who share a tag with it. */
export const rowTestsSchema = z.enum(["admins", "tag"]);

/** Whose accounts the calls of a row use. */
export const rowAccessSchema = z.enum(["shared", "own", "own_else_shared"]);
const accessText =
  "Whose accounts its calls use: the row's (`shared`), the caller's (`own`), or the row's for users who never connected an own one (`own_else_shared`).";

/** One configured instance of a connector. */
export const rowSchema = z
  .object({
    id: z.uuid(),
    connector: z.string(),
    label: z.string(),
    logo: logoSchema,
    slug: z.string().optional().meta({
      description: "The name of a channel in addresses and triggers. Absent in other rows.",
    }),
    description: z.string(),
    tags: z.array(z.string()).meta({
      description: "Only admins see a row without tags; with `everyone`, every user sees it.",
    }),
    tests: rowTestsSchema.meta({
      description:
        "Who may call its operations as a test and use its html widgets: only admins, or with `tag` also the users who share a tag with it. Maintenance operations stay with admins.",
    }),
    access: rowAccessSchema.meta({ description: accessText }),
    disabled: z.boolean(),
    disabled_type: z.boolean().meta({ description: "Whether the connector type is disabled." }),
    missing: z.array(z.string()).nullable().meta({
      description:
        "Keys of required fields without a value; null if the connector is not installed.",
    }),
    version: z.int().meta({
      description:
        "Increases with every change. Send it with a change, so that the change cannot overwrite another one.",
    }),
    created_at: timeSchema,
    updated_at: timeSchema,
  })
  .meta({ id: "Row" });
export type Row = z.infer<typeof rowSchema>;

/** A configuration value for display. */
export const rowValueSchema = z
  .object({
    key: z.string(),
    value: z.string().nullable().meta({
      description:
        "The stored value or the default; null if there is neither, and always for a secret.",
    }),
    is_set: z.boolean().meta({ description: "Whether a value is stored." }),
    secret: z.boolean(),
    required: z.boolean(),
    description: z.string(),
  })
  .meta({ id: "RowValue" });
export type RowValue = z.infer<typeof rowValueSchema>;

/** An operation of a row, with the reasons why it may not be callable. */
export const rowOperationSchema = z
  .object({
    key: z.string(),
    tool_id: z
      .string()
      .meta({ description: "The id for `hub_get`, `hub_execute` and `hub_read`." }),
    name: z.string(),
    enabled: z.boolean(),
    review: z.enum(["new", "changed", "invalid", "gone"]).nullable().optional().meta({
      description:
        "Of an operation that the row's outside system offers: what an admin has not reviewed yet. Then it cannot be called. Absent for operations of the connector.",
    }),
    destructive: z.boolean(),
    reads: z.boolean().meta({
      description:
        "Whether it only reads: `hub_read` runs it. Its author says so, or an admin has marked it; then it is not destructive.",
    }),
    may_mark: z.boolean().meta({
      description:
        "Whether an admin can mark it as one that only reads, or remove the mark. The mark is lost when the operation changes.",
    }),
    test_only: z.boolean().meta({ description: "Only a test can call it, never MCP." }),
  })
  .meta({ id: "RowOperation" });
export type RowOperation = z.infer<typeof rowOperationSchema>;

/** How many operations of a row the caller sees, and in which state. */
const operationCountsSchema = z.object({
  total: z.int(),
  enabled: z.int().meta({ description: "Those that are not disabled and were reviewed." }),
  waiting: z.int().meta({ description: "Those that wait for a review." }),
});

/** An html widget of a row's settings, without the value of its field. */
export const rowWidgetSchema = z
  .object({
    key: z.string().meta({ description: "Key of its field." }),
    name: z.string(),
    description: z.string(),
    locked: z.boolean().meta({ description: "Whether it is only shown, without clicks." }),
  })
  .meta({ id: "RowWidget" });
export type RowWidget = z.infer<typeof rowWidgetSchema>;

/** A row with its operations, for every user who sees it. */
export const rowViewSchema = rowSchema
  .extend({
    state: rowStateSchema,
    activity: rowActivitySchema.nullable().meta({ description: "Null for users." }),
    operations: z.array(rowOperationSchema),
    operation_counts: operationCountsSchema,
    widgets: z.array(rowWidgetSchema).meta({
      description:
        "The html widgets of its settings that the caller may use: none for users whom `tests` does not let test.",
    }),
  })
  .meta({ id: "RowView" });
export type RowView = z.infer<typeof rowViewSchema>;

/** An operation in a page of a row's operations. */
export const listedOperationSchema = rowOperationSchema
  .extend({ description: z.string().meta({ description: "One line of at most 200 characters." }) })
  .meta({ id: "ListedOperation" });
export type ListedOperation = z.infer<typeof listedOperationSchema>;

/** A row with its values and operations, without secrets. */
export const rowDetailSchema = rowSchema
  .extend({
    values: z.array(rowValueSchema),
    operations: z.array(rowOperationSchema),
    weak: z.array(z.string()).optional().meta({
      description:
        "In the answer to a change: keys of secret fields whose new values can be guessed. See the reference of tokens. Absent if there are none.",
    }),
  })
  .meta({ id: "RowDetail" });
export type RowDetail = z.infer<typeof rowDetailSchema>;

/** The answer after an operation of a row is enabled or disabled. */
export const operationStateSchema = z.object({
  row_id: z.uuid(),
  operation: z.string(),
  enabled: z.boolean(),
});
export type OperationState = z.infer<typeof operationStateSchema>;
