import { findNumberText } from "../json.ts";

/** An integer: a `bigint` only beyond ±(2^53 − 1), so that all digits are kept. */
export type Integer = number | bigint;

/** Longer numbers are not meaningful, and parsing them takes quadratic time. */
const digitsMax = 1000;

const decimal = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,6}))?$/;

/** Converts a number of any type or plain text to an integer; undefined for other values. */
export function toInteger(raw: unknown): Integer | undefined {
  const digits = toWholeDigits(findGivenText(raw));
  if (digits === undefined) return undefined;
  const number = Number(digits);
  return Number.isSafeInteger(number) ? number : BigInt(digits);
}

/** Converts a number of any type or plain text to a finite number; undefined for other values. */
export function toFloat(raw: unknown): number | undefined {
  const text = findGivenText(raw);
  if (!decimal.test(text)) return undefined;
  const number = Number(text);
  return Number.isFinite(number) ? number : undefined;
}

/** The digits of a decimal without its exponent; undefined if it is not an integer. */
export function toWholeDigits(text: string): string | undefined {
  const match = decimal.exec(text);
  if (match === null) return undefined;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = match;
  const digits = whole + fraction;
  const length = whole.length + Number(exponent);
  if (Math.max(digits.length, length) > digitsMax) return undefined;
  const rest = digits.slice(Math.max(length, 0));
  if (/[1-9]/.test(rest)) return undefined;
  const kept = digits.slice(0, Math.max(length, 0)).padEnd(length, "0").replace(/^0+/, "") || "0";
  // Minus zero would be written as "0" and read back as another value.
  return kept === "0" ? kept : sign + kept;
}

function findGivenText(raw: unknown): string {
  if (typeof raw === "string") return raw.trim();
  return findNumberText(raw) ?? "";
}
