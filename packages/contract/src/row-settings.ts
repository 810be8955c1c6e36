import { z } from "zod";

/** One field of a row's settings page, as its tag says and with what is stored. */
export const rowSettingSchema = z.object({
  key: z.string(),
  name: z.string(),
  widget: z.string(),
  /** Stored text, or else the default; null for a secret, of which nothing leaves the server. */
  value: z.string().nullable(),
  /** Something is stored. */
  is_set: z.boolean(),
  description: z.string(),
  /** What a `dropdown` offers. */
  options: z.array(z.string()),
  /** Columns of a `kvlist` or `picker`, whose value is a JSON array of objects. */
  columns: z.array(z.string()),
  /** What a `picker` looks up; null for other widgets. */
  source: z.string().nullable(),
  /** The operation that an `html` widget shows; null for other widgets. */
  html_op: z.string().nullable(),
  required: z.boolean(),
  secret: z.boolean(),
  locked: z.boolean(),
  /** A fresh value can be generated. */
  regen: z.boolean(),
  visible_when: z.object({ field: z.string(), values: z.array(z.string()) }).nullable(),
});
export type RowSetting = z.infer<typeof rowSettingSchema>;

/** A row's settings as titled cards, in the order in which a page shows them. */
export const rowSettingsSchema = z.object({
  row_id: z.uuid(),
  version: z.int(),
  /** Keys of required fields that have no value yet. */
  missing: z.array(z.string()),
  groups: z.array(
    z.object({
      title: z.string(),
      description: z.string(),
      collapsed: z.boolean(),
      fields: z.array(rowSettingSchema),
    }),
  ),
});
export type RowSettings = z.infer<typeof rowSettingsSchema>;
