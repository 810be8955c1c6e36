import type { JsonSchema } from "../connector-definition.ts";
import type { FieldSpec } from "./field-spec.ts";

export function toInputSchema(_fields: readonly FieldSpec[]): JsonSchema {
  throw new Error("Not written yet.");
}
