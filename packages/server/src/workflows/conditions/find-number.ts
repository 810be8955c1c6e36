import { findNumberText, type Json } from "@hub/connector";

/** Reading the digits of a longer number costs more than linear time. */
const digitsMax = 400;

/** The grammar of numbers in JSON: no spaces, no leading zeros, no hexadecimal digits. */
const numberPattern = /^-?(?:0|[1-9]\d*)(\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * The value of a number, or of a text that is a number as JSON writes it; null for other values.
 * Whole numbers that a JavaScript number cannot hold are bigints.
 */
export function findNumber(value: Json): number | bigint | null {
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  const text = typeof value === "string" ? value : findNumberText(value);
  if (text === null || text.length > digitsMax || !numberPattern.test(text)) return null;
  if (/^-?\d+$/.test(text)) {
    const whole = Number(text);
    return Number.isSafeInteger(whole) ? whole : BigInt(text);
  }
  const number = Number(text);
  return Number.isFinite(number) ? number : null;
}

/** Reads the number of a value, or null. */
export type ReadNumber = (value: Json) => number | bigint | null;

/** Reading a shorter text is cheap. */
const rememberedCharsMin = 32;

/** Remembers the numbers of long texts, since one may be compared with each item of a list. */
export function createNumberReader(): ReadNumber {
  const known = new Map<string, number | bigint | null>();
  return (value) => {
    const text = typeof value === "string" ? value : findNumberText(value);
    if (text === null || text.length < rememberedCharsMin || text.length > digitsMax) {
      return findNumber(value);
    }
    const read = known.get(text);
    if (read !== undefined) return read;
    const number = findNumber(text);
    known.set(text, number);
    return number;
  };
}

/** Numbers and bigints are compared by value. */
export function isSameNumber(one: number | bigint, two: number | bigint): boolean {
  return !(one < two || one > two);
}
