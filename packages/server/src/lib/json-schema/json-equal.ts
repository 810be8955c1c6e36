import { findNumberText, isJsonObject } from "@hub/connector";
import type { Validation } from "./validation.ts";

type Spending = Pick<Validation, "spend" | "spendChars" | "listNames">;

/**
 * Whether two JSON values are equal: members in any order, numbers by value. Takes no longer than reading the smaller
 * one, which is counted.
 */
export function isJsonEqual(spending: Spending, one: unknown, two: unknown): boolean {
  spending.spend(1);
  if (typeof one === "string" || typeof two === "string") {
    if (typeof one !== "string" || typeof two !== "string") return false;
    if (one.length !== two.length) return false;
    spending.spendChars(one.length);
    return one === two;
  }
  const digits = findNumberText(one);
  if (digits !== null) {
    const others = findNumberText(two);
    if (others === null) return false;
    spending.spendChars(digits.length + others.length);
    return Number(digits) === Number(others);
  }
  if (Array.isArray(one)) {
    if (!Array.isArray(two) || one.length !== two.length) return false;
    return one.every((item, at) => isJsonEqual(spending, item, two[at]));
  }
  if (!isJsonObject(one)) return one === two;
  if (!isJsonObject(two)) return false;
  const names = spending.listNames(one);
  if (spending.listNames(two).length !== names.length) return false;
  return names.every(
    (name) => Object.hasOwn(two, name) && isJsonEqual(spending, one[name], two[name]),
  );
}

/** A text that is equal for equal JSON values: members in order, numbers by value. Its parts are counted. */
export function toComparable(spending: Spending, value: unknown): string {
  spending.spend(1);
  if (typeof value === "string") {
    spending.spendChars(value.length);
    return JSON.stringify(value);
  }
  const digits = findNumberText(value);
  if (digits !== null) {
    spending.spendChars(digits.length);
    return String(Number(digits));
  }
  if (Array.isArray(value)) return `[${value.map((item) => toComparable(spending, item)).join()}]`;
  if (!isJsonObject(value)) return String(value);
  const members = spending
    .listNames(value)
    .sort()
    .map((name) => `${toComparable(spending, name)}:${toComparable(spending, value[name])}`);
  return `{${members.join()}}`;
}
