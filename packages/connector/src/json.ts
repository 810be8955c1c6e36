/** Any JSON value. A number that no `number` holds exactly is a `JSON.rawJSON` object. */
export type Json = unknown;

/** Digits enough, or an exponent, for `Number` to lose some of them. */
const mayLoseDigits = /[\d.]{16}|\d[eE][+-]?\d/;

/** A number written longer than this is kept as it is; looking at it would only cost time. */
const comparedLengthMax = 400;

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
  return isSameNumber(value, context.source) ? value : JSON.rawJSON(context.source);
}

/** Whether the number would be written with the value it was read with. */
function isSameNumber(value: number, source: string): boolean {
  const written = String(value);
  if (written === source) return true;
  return source.length <= comparedLengthMax && toDecimal(written) === toDecimal(source);
}

/** One text for all ways to write a decimal: its significant digits and a power of ten. */
function toDecimal(text: string): string | null {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text);
  if (match === null) return null;
  const [, sign, whole = "", fraction = "", exponent = "0"] = match;
  const digits = (whole + fraction).replace(/^0+/, "");
  const significant = trimZeros(digits);
  if (significant === "") return "0";
  const power = Number(exponent) - fraction.length + digits.length - significant.length;
  return `${sign}${significant}e${power}`;
}

/** By hand: a pattern for zeros at the end looks through each run of zeros again and again. */
function trimZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === "0") end -= 1;
  return digits.slice(0, end);
}

/** Compact JSON text. Bigints keep their digits; `undefined` members vanish as in JSON.stringify. */
export function toJsonText(value: Json): string {
  return stringify(value) ?? JSON.stringify(value, writeBigint);
}

/** Without a replacer it is several times faster; null where a bigint wants one. */
function stringify(value: Json): string | null {
  try {
    return JSON.stringify(value) ?? "null";
  } catch (thrown) {
    // The slower method throws all other errors again.
    if (thrown instanceof TypeError) return null;
    throw thrown;
  }
}

function writeBigint(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? JSON.rawJSON(value.toString()) : value;
}

/** The digits of a number in any of its three forms; null for anything else. */
export function findNumberText(value: unknown): string | null {
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  return JSON.isRawJSON(value) ? JSON.stringify(value) : null;
}

/** Whether a value is an object with members: no array, and no number that keeps its digits. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value)
  );
}
