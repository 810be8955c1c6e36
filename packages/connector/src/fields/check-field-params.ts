import { isJsonObject } from "../json.ts";
import { suggest } from "../suggest.ts";
import type { FieldSpec, Issue, ValuesByKey } from "./field-spec.ts";
import { findOwn, isUnset, parseValue } from "./field-value.ts";
import { findMissing } from "./find-missing.ts";

import { showName } from "./show-name.ts";
import { readDefault } from "./stored-value.ts";

/** A caller with more unknown names has not just misspelt one, so the answer lists no names. */
const unknownNamesMax = 20;

type CheckOptions = {
  /** Keys of params with encrypted values. Issues name these keys and never show the values. */
  opened?: ReadonlySet<string>;
};

const noKeys: ReadonlySet<string> = new Set();

/**
 * Checks params from outside against an operation's inputs and converts them to their types, by
 * wire key. `null` and an empty text count as missing, and the default is used. An empty text is a
 * value only in a field for any text without a default. Never throws: if there are issues, `values`
 * contains only the valid values.
 *
 * @example
 * const { values, issues } = checkParams(operation.inputFields, { repo: "hub", numbr: "3" });
 * // issues: [{ path: "numbr", message: 'is not known here. Did you mean "number"?' }, …]
 */
export function checkParams(
  fields: readonly FieldSpec[],
  raw: unknown,
  { opened = noKeys }: CheckOptions = {},
): { values: ValuesByKey; issues: Issue[] } {
  if (!isJsonObject(raw)) {
    return { values: {}, issues: [{ path: "", message: "must be an object" }] };
  }
  const issues = findUnknownNames(fields, raw);
  const values = new Map<string, unknown>();
  for (const field of fields) {
    const given = findOwn(raw, field.key);
    if (!isGiven(field, given)) {
      const seed = readDefault(field);
      if (seed !== undefined) values.set(field.key, seed);
      continue;
    }
    const parsed = parseValue(field, given, { isOpened: opened.has(field.key) });
    if ("issue" in parsed) issues.push(parsed.issue);
    else values.set(field.key, parsed.value);
  }
  const record = Object.fromEntries(values);
  issues.push(...findAbsent(fields, record, issues));
  return { values: record, issues };
}

function findUnknownNames(fields: readonly FieldSpec[], raw: Record<string, unknown>): Issue[] {
  const keys = fields.map((field) => field.key);
  const known = new Set(keys);
  const unknown = Object.keys(raw).filter((name) => !known.has(name));
  if (unknown.length > unknownNamesMax) {
    const message = `${unknown.length} names are not known here; use the names of the input schema`;
    return [{ path: "", message }];
  }
  return unknown.map((name) => ({ path: showName(name), message: describeUnknown(name, keys) }));
}

function describeUnknown(name: string, keys: readonly string[]): string {
  const nearest = suggest(name, keys);
  if (nearest !== "") return `is not known here.${nearest}`;
  return keys.length === 0
    ? "is not known here; this operation has no params"
    : `is not known here; use one of ${keys.join(", ")}`;
}

/** Widgets that accept an empty text as a value. */
const freeText = new Set(["text", "textarea", "secret", "html"]);

function isGiven(field: FieldSpec, value: unknown): boolean {
  if (!isUnset(value)) return true;
  const mayBeEmpty = field.base === "text" && freeText.has(field.widget);
  return value === "" && mayBeEmpty && field.default === undefined;
}

function findAbsent(fields: readonly FieldSpec[], values: ValuesByKey, issues: Issue[]): Issue[] {
  const faulty = new Set(issues.map((issue) => /^[^.[]*/.exec(issue.path)?.[0]));
  return findMissing(fields, values)
    .filter((field) => !faulty.has(field.key))
    .map((field) => ({ path: field.key, message: "is required" }));
}
