import { containsText, findNumberText, isJsonObject, type Json } from "@hub/connector";
import type { ConditionOperator } from "@hub/contract/workflow-condition.ts";
import { createPace } from "../validation/validation-pace.ts";
import { createNumberReader, findNumber } from "./find-number.ts";
import { isEqual } from "./is-equal.ts";
import { compilePattern, PatternError } from "./pattern.ts";

/** A condition whose templates are rendered. A `right` that is not given is null. */
export type RenderedCondition = { left: Json; op: ConditionOperator; right?: Json };

/**
 * Whether a condition holds. It compares values, not their texts; the table in
 * docs/reference/workflow-body.md has every case. Values that an operator cannot compare do not
 * hold, so only `matches` can fail: it throws `PatternError`.
 */
export function checkCondition({ left, op, right = null }: RenderedCondition): boolean {
  switch (op) {
    case "eq":
      return isEqual(left, right);
    case "ne":
      return !isEqual(left, right);
    case "lt":
      return compare(left, right) === -1;
    case "le":
      return (compare(left, right) ?? 1) <= 0;
    case "gt":
      return compare(left, right) === 1;
    case "ge":
      return (compare(left, right) ?? -1) >= 0;
    case "contains":
      return contains(left, right);
    case "in":
      return contains(right, left);
    case "starts_with":
      return holdsForTexts(left, right, (text, start) => text.startsWith(start));
    case "ends_with":
      return holdsForTexts(left, right, (text, end) => text.endsWith(end));
    case "matches":
      return matches(left, right);
    case "is_empty":
      return isEmpty(left);
    case "is_not_empty":
      return !isEmpty(left);
    case "is_true":
      return isEqual(left, true) || (typeof left === "string" && /^true$/i.test(left));
  }
}

/**
 * Whether all conditions hold, or any of them. It stops at the first one that decides. It lets the
 * event loop run other work at times, because each pattern may search a long text.
 */
export async function checkConditions(
  conditions: readonly RenderedCondition[],
  match: "all" | "any",
): Promise<boolean> {
  const pace = createPace();
  for (const condition of conditions) {
    await pace();
    if (checkCondition(condition) === (match === "any")) return match === "any";
  }
  return match === "all";
}

/** A case of a switch whose templates are rendered. */
export type RenderedCase = { case: string } & Pick<RenderedCondition, "op" | "right">;

/** The name of the first case that holds for the value, or null. It yields as `checkConditions` does. */
export async function findCase(
  value: Json,
  cases: readonly RenderedCase[],
): Promise<string | null> {
  const pace = createPace();
  for (const { case: name, op, right } of cases) {
    await pace();
    if (checkCondition({ left: value, op, right })) return name;
  }
  return null;
}

/** Null if the values have no order: one is neither a number nor a text, or only one is a number. */
function compare(left: Json, right: Json): -1 | 0 | 1 | null {
  const one = findNumber(left);
  const two = findNumber(right);
  if (one !== null && two !== null) return order(one, two);
  if (typeof left !== "string" || typeof right !== "string") return null;
  return order(left, right);
}

function order<Value extends string | number | bigint>(one: Value, two: Value): -1 | 0 | 1 {
  if (one < two) return -1;
  return one > two ? 1 : 0;
}

function contains(whole: Json, part: Json): boolean {
  if (Array.isArray(whole)) {
    const read = createNumberReader();
    return whole.some((item) => isEqual(item, part, read));
  }
  if (isJsonObject(whole)) return typeof part === "string" && Object.hasOwn(whole, part);
  return holdsForTexts(whole, part, containsText);
}

/** Numbers and booleans are texts here: `1234` starts with `12`. */
function holdsForTexts(
  left: Json,
  right: Json,
  holds: (one: string, two: string) => boolean,
): boolean {
  const one = findText(left);
  const two = findText(right);
  return one !== null && two !== null && holds(one, two);
}

function matches(left: Json, right: Json): boolean {
  if (typeof right !== "string") {
    throw new PatternError("The pattern of matches must be a text.");
  }
  const pattern = compilePattern(right);
  const text = findText(left);
  return text !== null && pattern.isFoundIn(text);
}

function findText(value: Json): string | null {
  if (typeof value === "string") return value;
  return typeof value === "boolean" ? String(value) : findNumberText(value);
}

function isEmpty(value: Json): boolean {
  if (value === null || value === "") return true;
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}
