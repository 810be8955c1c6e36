import { findNumberText, toJsonText } from "@hub/connector";

/**
 * Converts a value for comparison. Opening a token of a number gives its digits as text, and
 * opening a token of bytes gives their numbers with commas. So all numbers are converted to text.
 */
export function toComparable(value: unknown): unknown {
  const digits = toDigits(value);
  if (digits !== null) return digits;
  if (Array.isArray(value)) {
    return value.every(isNumbers)
      ? value.flatMap((item) => (toDigits(item) ?? String(item)).split(","))
      : value.map(toComparable);
  }
  // JSON has no such number.
  if (typeof value === "number") return null;
  if (typeof value !== "object" || value === null || JSON.isRawJSON(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, toComparable(member)]),
  );
}

/** Whether two comparable values are equal. */
export function isSame(actual: unknown, expected: unknown): boolean {
  return toJsonText(actual) === toJsonText(expected);
}

/**
 * Whether the first comparable value is a cut version of the second: nothing is added or changed,
 * and only the texts, lists and objects around the cut are shorter.
 */
export function isBeginning(actual: unknown, expected: unknown): boolean {
  if (typeof actual === "string" && typeof expected === "string") {
    return expected.startsWith(actual);
  }
  if (Array.isArray(actual) && Array.isArray(expected)) {
    const last = actual.length - 1;
    return actual.every((item, index) =>
      index === last ? isBeginning(item, expected[index]) : isSame(item, expected[index]),
    );
  }
  if (isRecord(actual) && isRecord(expected)) {
    const changed = Object.keys(actual).filter(
      (key) => !Object.hasOwn(expected, key) || !isSame(actual[key], expected[key]),
    );
    const [first] = changed;
    if (first === undefined) return true;
    if (changed.length > 1 || !Object.hasOwn(expected, first)) return false;
    return isBeginning(actual[first], expected[first]);
  }
  return isSame(actual, expected);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function toDigits(value: unknown): string | null {
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : null;
  if (typeof value === "bigint") return String(value);
  const text = findNumberText(value);
  return text === null || !/^[-\d]/.test(text) ? null : text;
}

/** The generated cases put "end" behind some lists. */
function isNumbers(item: unknown): boolean {
  if (toDigits(item) !== null || item === "end") return true;
  return typeof item === "string" && /^-?\d[\d.eE+-]*(?:,\d+)*$/.test(item);
}
