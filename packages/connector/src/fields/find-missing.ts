import type { FieldSpec, ValuesByKey } from "./field-spec.ts";
import { findOwn, isUnset, toValueText } from "./field-value.ts";

/**
 * The required fields that are missing: absent, null, `""`, or a table without rows. A default
 * counts as a value, and a field that its `visible_when` hides is not missing. `values` are typed
 * values or stored text, by wire key.
 */
export function findMissing(fields: readonly FieldSpec[], values: ValuesByKey): FieldSpec[] {
  return fields.filter(
    (field) =>
      field.required &&
      field.default === undefined &&
      isEmpty(field, findOwn(values, field.key)) &&
      isFieldShown(fields, field, values),
  );
}

function isEmpty(field: FieldSpec, value: unknown): boolean {
  if (isUnset(value)) return true;
  if (field.columns === undefined) return false;
  return Array.isArray(value) ? value.length === 0 : value === "[]";
}

/** Whether the field's `visible_when` condition is met. `values` are typed values or stored text, by wire key. */
export function isFieldShown(
  fields: readonly FieldSpec[],
  field: FieldSpec,
  values: ValuesByKey,
): boolean {
  const condition = field.visibleWhen;
  if (condition === undefined) return true;
  const other = fields.find((candidate) => candidate.key === condition.field);
  // A condition of a plugin on an unknown field never hides a field.
  if (other === undefined) return true;
  return condition.values.includes(findText(other, values));
}

function findText(field: FieldSpec, values: ValuesByKey): string {
  const value = findOwn(values, field.key);
  if (!isUnset(value)) return toValueText(value);
  // An unset toggle shows as off.
  return field.default ?? (field.base === "boolean" ? "false" : "");
}
