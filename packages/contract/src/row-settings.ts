import { z } from "zod";
import { fieldBaseSchema } from "./connector-type.ts";

/** One field of a row's settings page, as its tag says and with what is stored. */
export const rowSettingSchema = z
  .object({
    key: z.string(),
    name: z.string(),
    widget: z.string(),
    base: fieldBaseSchema,
    value: z.string().nullable().meta({
      description:
        "Stored text, or else the default; null for a secret, of which nothing leaves the server.",
    }),
    is_set: z.boolean().meta({ description: "Something is stored." }),
    description: z.string(),
    options: z.array(z.string()).meta({ description: "What a `dropdown` offers." }),
    columns: z.array(z.string()).meta({
      description: "Columns of a `kvlist` or `picker`, whose value is a JSON array of objects.",
    }),
    source: z
      .string()
      .nullable()
      .meta({ description: "What a `picker` looks up; null for other widgets." }),
    html_op: z
      .string()
      .nullable()
      .meta({ description: "The operation that an `html` widget shows; null for other widgets." }),
    required: z.boolean(),
    secret: z.boolean(),
    locked: z.boolean(),
    regen: z.boolean().meta({ description: "A fresh value can be generated." }),
    mode: z.enum(["fixed", "expression"]).nullable().meta({
      description: "Locks the workflow editor's toggle between a fixed value and an expression.",
    }),
    visible_when: z.object({ field: z.string(), values: z.array(z.string()) }).nullable(),
  })
  .meta({ id: "RowSetting" });
export type RowSetting = z.infer<typeof rowSettingSchema>;

/** A row's settings as titled cards, in the order in which a page shows them. */
export const rowSettingsSchema = z
  .object({
    row_id: z.uuid(),
    version: z.int(),
    missing: z
      .array(z.string())
      .meta({ description: "Keys of required fields that have no value yet." }),
    groups: z.array(
      z.object({
        title: z.string(),
        description: z.string(),
        collapsed: z.boolean(),
        fields: z.array(rowSettingSchema),
      }),
    ),
  })
  .meta({ id: "RowSettings" });
export type RowSettings = z.infer<typeof rowSettingsSchema>;
