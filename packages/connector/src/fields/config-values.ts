import { parseJson, toJsonText } from "../json.ts";
import { splitText } from "../text-search.ts";
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
 * string is JSON text, not a JSON string. A `kvlist` of one column also takes a list of values, as JSON or typed, and lines.
 */
export function toStoredText(field: FieldSpec, given: unknown): StoredText {
  if (isUnset(given)) return { text: "" };
  const value = toCells(field, given);
  const parsed = typeof value === "string" ? parseStored(field, value) : parseValue(field, value);
  if ("issue" in parsed) return parsed;
  const problem = findPatternIssue(field, parsed.value);
  if (problem !== null) return { issue: problem };
  // A JSON string of a `json` field needs its quotes to be read back.
  return { text: field.base === "json" ? toJsonText(parsed.value) : toValueText(parsed.value) };
}

/** The rows of a `kvlist` of one column that is given as lines or as a list of values. */
function toCells({ widget, columns }: FieldSpec, given: unknown): unknown {
  const [column, ...others] = columns ?? [];
  if (widget !== "kvlist" || column === undefined || others.length > 0) return given;
  const list = typeof given === "string" ? readLines(given) : given;
  if (!Array.isArray(list)) return given;
  const isCell = (item: unknown) => ["string", "number", "boolean"].includes(typeof item);
  return list.map((item: unknown) => (isCell(item) ? { [column]: item } : item));
}

/** JSON stays what it says. Any other text has a value in each line; empty lines at its end do not count. */
function readLines(text: string): unknown {
  try {
    const value = parseJson(text);
    if (typeof value === "object" && value !== null) return value;
  } catch {
    // No JSON, so these are lines.
  }
  const lines = splitText(text, "\n").map((line) =>
    line.endsWith("\r") ? line.slice(0, -1) : line,
  );
  while (lines.at(-1) === "") lines.pop();
  return lines;
}

function parseSet(field: FieldSpec, stored: StoredValues): ParsedValue | null {
  const text = findOwn(stored, field.key);
  return typeof text !== "string" || text === "" ? null : parseStored(field, text);
}
