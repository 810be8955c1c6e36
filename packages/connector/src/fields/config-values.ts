import { toJsonText } from "../json.ts";
import { findPatternIssue } from "./field-pattern.ts";
import type { FieldSpec, Issue, ValuesByKey } from "./field-spec.ts";
import { findOwn, isUnset, type ParsedValue, parseValue, toValueText } from "./field-value.ts";
import { parseStored, readDefault } from "./stored-value.ts";

/** A value as it is stored (`""` for no value), or the issue with it. */
export type StoredText = { text: string } | { issue: Issue };

type StoredValues = Readonly<Record<string, string>>;

/**
 * Converts stored texts to typed values, both by wire key, with defaults. Fields without a value
 * and default are absent. A text that no longer fits its field, because the connector has changed,
 * counts as missing; `checkConfig` reports it.
 */
export function readConfig(fields: readonly FieldSpec[], stored: StoredValues): ValuesByKey {
  const values: [string, unknown][] = [];
  for (const field of fields) {
    const parsed = parseSet(field, stored);
    const value = parsed !== null && "value" in parsed ? parsed.value : readDefault(field);
    if (value !== undefined) values.push([field.key, value]);
  }
  return Object.fromEntries(values);
}

/**
 * The issues with stored texts: values that do not fit their field. Missing values are not
 * reported.
 */
export function checkConfig(fields: readonly FieldSpec[], stored: StoredValues): Issue[] {
  return fields.flatMap((field) => {
    const parsed = parseSet(field, stored);
    return parsed !== null && "issue" in parsed ? [parsed.issue] : [];
  });
}

/**
 * Converts a value to be set to the text to store. Takes text as typed into a form or
 * given on a command line, and typed values; null and `""` unset the field. For a `json` field a
 * string is JSON text, not a JSON string.
 */
export function toStoredText(field: FieldSpec, value: unknown): StoredText {
  if (isUnset(value)) return { text: "" };
  const parsed = typeof value === "string" ? parseStored(field, value) : parseValue(field, value);
  if ("issue" in parsed) return parsed;
  const problem = findPatternIssue(field, parsed.value);
  if (problem !== null) return { issue: problem };
  // A JSON string of a `json` field needs its quotes to be read back.
  return { text: field.base === "json" ? toJsonText(parsed.value) : toValueText(parsed.value) };
}

function parseSet(field: FieldSpec, stored: StoredValues): ParsedValue | null {
  const text = findOwn(stored, field.key);
  return typeof text !== "string" || text === "" ? null : parseStored(field, text);
}
