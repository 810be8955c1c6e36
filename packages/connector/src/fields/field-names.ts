import type { ValuesByName } from "../operation-context.ts";
import type { FieldSpec, ValuesByKey } from "./field-spec.ts";
import { findOwn } from "./field-value.ts";

/**
 * Values by wire key → values by the names their author wrote. What has no value is absent, so
 * that the names that are there are the ones that were given.
 */
export function toFieldNames(fields: readonly FieldSpec[], values: ValuesByKey): ValuesByName {
  return Object.fromEntries(
    fields
      .map((field): [string, unknown] => [field.name, findOwn(values, field.key)])
      .filter(([, value]) => value !== undefined),
  );
}
