/** Any JSON value. A number that no `number` holds exactly is a `JSON.rawJSON` object. */
export type Json = unknown;

/** Digits enough, or an exponent, for `Number` to lose some of them. */
const mayLoseDigits = /\d{16}|\d[eE][+-]?\d/;

/**
 * Parses JSON and keeps every number's digits: one that a `number` cannot hold exactly becomes a
 * `JSON.rawJSON` object, which `toJsonText` writes as it was read. Throws SyntaxError.
 */
export function parseJson(text: string): Json {
  // The reviver costs a call per value, so it runs only where a long number may be.
  if (!mayLoseDigits.test(text)) return JSON.parse(text);
  return JSON.parse(text, keepDigits);
}

function keepDigits(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== "number" || context?.source === undefined) return value;
  return Number.isFinite(value) && isSameNumber(value, context.source)
    ? value
    : JSON.rawJSON(context.source);
}

function isSameNumber(value: number, source: string): boolean {
  if (String(value) === source) return true;
  if (Number.isInteger(value) && /^-?\d+$/.test(source)) return BigInt(value) === BigInt(source);
  // A fraction or an exponent: same when the shortest form that reads back is no shorter than it.
  return significantDigits(source) <= 15;
}

function significantDigits(source: string): number {
  const mantissa = source.replace(/[eE].*$/, "").replace(/[-.]/g, "");
  return mantissa.replace(/^0+/, "").replace(/0+$/, "").length;
}

/** Compact JSON text. Bigints keep their digits; `undefined` members vanish as in JSON.stringify. */
export function toJsonText(value: Json): string {
  const text = JSON.stringify(value, writeBigint);
  return text === undefined ? "null" : text;
}

function writeBigint(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? JSON.rawJSON(value.toString()) : value;
}

/** The digits of a number in any of its three forms; null for anything else. */
export function findNumberText(value: unknown): string | null {
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  return JSON.isRawJSON(value) ? JSON.stringify(value) : null;
}
