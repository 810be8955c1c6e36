import type { FieldSpec, Issue, ValuesByKey } from "./field-spec.ts";

export function checkParams(
  _fields: readonly FieldSpec[],
  _raw: unknown,
): { values: ValuesByKey; issues: Issue[] } {
  throw new Error("Not written yet.");
}
