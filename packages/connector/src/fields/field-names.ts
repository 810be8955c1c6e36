import type { ValuesByName } from "../operation-context.ts";
import type { FieldSpec, ValuesByKey } from "./field-spec.ts";
import { findOwn } from "./field-value.ts";

/** Converts values by wire key to values by field name. Missing values stay absent. */
export function toFieldNames(fields: readonly FieldSpec[], values: ValuesByKey): ValuesByName {
  return Object.fromEntries(
    fields
      .map((field): [string, unknown] => [field.name, findOwn(values, field.key)])
      .filter(([, value]) => value !== undefined),
  );
}
