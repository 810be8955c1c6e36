import type { ValuesByName } from "../operation-context.ts";
import type { FieldSpec, ValuesByKey } from "./field-spec.ts";

export function toFieldNames(_fields: readonly FieldSpec[], _values: ValuesByKey): ValuesByName {
  throw new Error("Not written yet.");
}
