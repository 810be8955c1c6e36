import type { FieldSpec, ValuesByKey } from "./field-spec.ts";

export function findMissing(_fields: readonly FieldSpec[], _values: ValuesByKey): FieldSpec[] {
  throw new Error("Not written yet.");
}
