import type { FormField } from "../../../form/field-form.ts";

/** A field for the form renderer. */
export function toFormField(key: string, field: Partial<FormField> & { name: string }): FormField {
  return {
    ...{ key, widget: "text", base: "text", value: null, is_set: true, description: "" },
    ...{ options: [], columns: [], source: null, html_op: null, required: false, secret: false },
    ...{ locked: false, regen: false, mode: null, visible_when: null },
    ...field,
  };
}

/** The host of a form whose fields are kept by the draft. */
export const plainHost = { version: 0 };
