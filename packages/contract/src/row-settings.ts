import { z } from "zod";
import { fieldBaseSchema } from "./connector-type.ts";

/** A field of a row's settings page with its stored value. */
export const rowSettingSchema = z
  .object({
    key: z.string(),
    name: z.string(),
    widget: z.string(),
    base: fieldBaseSchema,
    value: z.string().nullable().meta({
      description:
        "The stored text or the default; null for a secret, because secrets never leave the server.",
    }),
    is_set: z.boolean().meta({ description: "Whether a value is stored." }),
    description: z.string(),
    options: z.array(z.string()).meta({ description: "The options of a `dropdown`." }),
    columns: z.array(z.string()).meta({
      description: "Columns of a `kvlist` or `picker`, whose value is a JSON array of objects.",
    }),
    source: z
      .string()
      .nullable()
      .meta({ description: "The source of a `picker`; null for other widgets." }),
    html_op: z
      .string()
      .nullable()
      .meta({ description: "The operation that an `html` widget shows; null for other widgets." }),
    required: z.boolean(),
    secret: z.boolean(),
    locked: z.boolean(),
    regen: z.boolean().meta({ description: "Whether a new value can be generated." }),
    mode: z.enum(["fixed", "expression"]).nullable().meta({
      description: "Disables the workflow editor's switch between a fixed value and an expression.",
    }),
    visible_when: z.object({ field: z.string(), values: z.array(z.string()) }).nullable(),
  })
  .meta({ id: "RowSetting" });
export type RowSetting = z.infer<typeof rowSettingSchema>;

/** Fields as titled cards, in the order of the page. */
export const fieldGroupsSchema = z.array(
  z.object({
    title: z.string(),
    description: z.string(),
    collapsed: z.boolean(),
    fields: z.array(rowSettingSchema),
  }),
);

/** A row's settings as titled cards, in the order of the page. */
export const rowSettingsSchema = z
  .object({
    row_id: z.uuid(),
    version: z.int(),
    missing: z.array(z.string()).meta({ description: "Keys of required fields without a value." }),
    groups: fieldGroupsSchema,
    exposed: z
      .array(z.object({ field: z.string(), name: z.string() }))
      .optional()
      .meta({
        description:
          "Likely secrets in fields that are stored in plain text, with the names under which the hub can seal them. Absent if there are none.",
      }),
    outside: z.array(z.string()).optional().meta({
      description:
        "Keys of the secrets that are kept outside the hub, as a hub file says, or in a secret manager. A value that is set replaces the reference. Absent if there are none.",
    }),
    weak: z.array(z.string()).optional().meta({
      description:
        "Keys of the secrets that can be guessed, so that what callers send is not recorded, and is limited. Absent if there are none.",
    }),
  })
  .meta({ id: "RowSettings" });
export type RowSettings = z.infer<typeof rowSettingsSchema>;

/** The inputs of an operation as the cards of a form, and as clients see them. */
export const operationFormSchema = z
  .object({
    key: z.string(),
    name: z.string(),
    description: z.string(),
    input_schema: z.record(z.string(), z.unknown()).meta({
      description: "The inputs as clients see them: a JSON Schema.",
    }),
    output_schema: z.record(z.string(), z.unknown()).nullable().meta({
      description: "What it returns: a JSON Schema. Null if the operation does not say it.",
    }),
    groups: fieldGroupsSchema.meta({
      description: "The inputs as the cards of a form; `value` is the default.",
    }),
  })
  .meta({ id: "OperationForm" });
export type OperationForm = z.infer<typeof operationFormSchema>;
