import { findNumberText, toJsonText } from "../json.ts";
import { suggest } from "../suggest.ts";
import type { FieldSpec, Issue, ValuesByKey } from "./field-spec.ts";
import { toFloat, toInteger, toWholeDigits } from "./number-value.ts";
import { parseRows } from "./rows-value.ts";
import { findFormatProblem } from "./text-format.ts";

/** A value of its field's type, or the issue with it. */
export type ParsedValue = { value: unknown } | { issue: Issue };

type ParseOptions = {
  /** Whether the value was encrypted. An issue must not describe it then. */
  isOpened?: boolean;
};

/**
 * Converts a value, given as text or JSON, to its field's type. Text that is clearly a number or a
 * boolean is converted if the field requires one. A number for a text field becomes its digits, and a
 * boolean its word. A `json` field accepts every value unchanged.
 */
export function parseValue(
  field: FieldSpec,
  raw: unknown,
  { isOpened = false }: ParseOptions = {},
): ParsedValue {
  if (field.columns !== undefined) return parseRows(field, field.columns, raw);
  if (field.base === "json") return { value: raw };
  const { parse, problem } = bases[field.base];
  const value = parse(raw) ?? toLenientText(field, raw);
  if (value === undefined) return toIssue(field, problem);
  const mismatch =
    findOptionProblem(field, value, isOpened) ?? findFieldFormatProblem(field, value);
  return mismatch === null ? { value } : toIssue(field, mismatch);
}

/** Hosts of version 1 send every value as text: an object as its JSON, a switch as `true`. */
function toLenientText(field: FieldSpec, raw: unknown): string | undefined {
  return field.lenient && field.base === "text" ? toJsonText(raw) : undefined;
}

function findFieldFormatProblem(field: FieldSpec, value: unknown): string | null {
  return field.lenient ? null : findFormatProblem(field.widget, value);
}

/** The text of a typed value for the store and for comparison in `visible_when`. */
export function toValueText(value: unknown): string {
  return typeof value === "string" ? value : toJsonText(value);
}

/** Whether a value counts as missing. An empty input of a form sends `""`. */
export function isUnset(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}

/** A record's own member, never a member of its prototype. */
export function findOwn(values: ValuesByKey, key: string): unknown {
  return Object.hasOwn(values, key) ? values[key] : undefined;
}

const bases = {
  text: { parse: toText, problem: "must be text" },
  integer: { parse: toInteger, problem: "must be a whole number" },
  float: { parse: toFloat, problem: "must be a number" },
  boolean: { parse: toBoolean, problem: "must be true or false" },
};

function toText(raw: unknown): string | undefined {
  if (typeof raw === "string") return raw;
  if (typeof raw === "boolean") return String(raw);
  const digits = findNumberText(raw);
  return digits === null ? undefined : (toWholeDigits(digits) ?? digits);
}

function toBoolean(raw: unknown): boolean | undefined {
  if (typeof raw === "boolean") return raw;
  if (typeof raw !== "string") return undefined;
  const word = raw.trim().toLowerCase();
  if (word === "true") return true;
  return word === "false" ? false : undefined;
}

function findOptionProblem(field: FieldSpec, value: unknown, isOpened: boolean): string | null {
  const text = toValueText(value);
  if (field.options === undefined || field.options.includes(text)) return null;
  return `must be one of ${field.options.join(", ")}.${isOpened ? "" : suggest(text, field.options)}`;
}

function toIssue(field: FieldSpec, message: string): ParsedValue {
  return { issue: { path: field.key, message } };
}
