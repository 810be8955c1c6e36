import { type FormField, toLabel } from "../../../form/field-form.ts";

/** The label of a field by its key; the key if the form has no such field. */
export function toFieldName(fields: readonly FormField[], key: string): string {
  const field = fields.find((one) => one.key === key);
  return field === undefined ? key : toLabel(field);
}
