import { parseJson } from "../json.ts";
import type { FieldSpec } from "./field-spec.ts";
import { type ParsedValue, parseValue } from "./field-value.ts";

/** Converts text from the store, a form or a tag to its field's type. */
export function parseStored(field: FieldSpec, text: string): ParsedValue {
  if (field.base !== "json" || field.columns !== undefined) return parseValue(field, text);
  try {
    return { value: parseJson(text) };
  } catch {
    return { issue: { path: field.key, message: "must be valid JSON" } };
  }
}

/** A field's default in the field's type; undefined if there is none or it does not fit. */
export function readDefault(field: FieldSpec): unknown {
  if (field.default === undefined) return undefined;
  const parsed = parseStored(field, field.default);
  return "value" in parsed ? parsed.value : undefined;
}
