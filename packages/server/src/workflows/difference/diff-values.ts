import { isJsonObject, type Json, toJsonText } from "@hub/connector";
import { type Path, quote } from "../validation/problem-list.ts";

/** Two values at one place that differ. A value that is missing is undefined. */
export type ValueDifference = { path: Path; before: Json; after: Json };

/** Deeper values are compared as a whole. */
const depthMax = 8;

/** More differences of one value are not listed. */
const differencesMax = 50;

/**
 * Lists the places at which two values differ: members of objects, and items of lists of the same
 * length. Other lists differ as a whole.
 */
export function diffValues(before: Json, after: Json): ValueDifference[] {
  const found: ValueDifference[] = [];
  const visit = (path: Path, one: Json, two: Json): void => {
    if (found.length === differencesMax || one === two) return;
    const parts = path.length < depthMax ? listParts(one, two) : null;
    if (parts === null) {
      if (!isSame(one, two)) found.push({ path, before: one, after: two });
      return;
    }
    for (const [key, first, second] of parts) visit([...path, key], first, second);
  };
  visit([], before, after);
  return found;
}

/** `changes from 1 to 2`, or `changes` if the values are long. */
export function describeChange({ before, after }: ValueDifference): string {
  const old = showShort(before);
  const now = showShort(after);
  if (before === undefined) return now === null ? "is set" : `is set to ${now}`;
  if (after === undefined) return "is removed";
  return old === null || now === null ? "changes" : `changes from ${old} to ${now}`;
}

function listParts(one: Json, two: Json): [string | number, Json, Json][] | null {
  if (Array.isArray(one) && Array.isArray(two)) {
    if (one.length !== two.length) return null;
    return one.map((item, at) => [at, item, two[at]]);
  }
  if (!(isJsonObject(one) && isJsonObject(two))) return null;
  const keys = new Set([...Object.keys(one), ...Object.keys(two)]);
  return [...keys].map((key) => [key, findOwn(one, key), findOwn(two, key)]);
}

function findOwn(value: Record<string, unknown>, key: string): Json {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

function isSame(one: Json, two: Json): boolean {
  if (one === undefined || two === undefined) return one === two;
  return toJsonText(one) === toJsonText(two);
}

function showShort(value: Json): string | null {
  if (typeof value === "string") return value.length <= 60 ? quote(value) : null;
  return typeof value === "object" && value !== null ? null : String(value);
}
