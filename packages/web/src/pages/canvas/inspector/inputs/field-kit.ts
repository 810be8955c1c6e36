import type { FormField } from "../../../../form/field-form.ts";
import type { ItemField } from "./node-field-spec.ts";

/** A field for the form renderer. */
export function toFormField(key: string, field: Partial<FormField> & { name: string }): FormField {
  return {
    key,
    widget: "text",
    base: "text",
    value: null,
    is_set: true,
    description: "",
    options: [],
    columns: [],
    source: null,
    html_op: null,
    required: false,
    secret: false,
    locked: false,
    regen: false,
    mode: null,
    visible_when: null,
    ...field,
  };
}

/** What the field of an item gets. */
export type FieldProps = {
  spec: ItemField;
  value: unknown;
  onValue: (value: unknown) => void;
  error: string | null;
};

/** What is about an input is below it. */
export const inputOrder: Array<"label" | "input" | "error" | "description"> = [
  "label",
  "input",
  "error",
  "description",
];

/** The host of a form whose fields are kept by the draft. */
export const plainHost = { version: 0 };
