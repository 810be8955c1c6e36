/**
 * Any JSON value. A number that a JavaScript number cannot represent exactly is a `JSON.rawJSON`
 * object.
 */
export type Json = unknown;

/** A JSON Schema, draft 2020-12. */
export type JsonSchema = Record<string, unknown>;

/**
 * Only a number with this many digits or with an exponent can lose digits in `Number`. A number follows
 * one of these characters, so ids in quotes do not match.
 */
const mayLoseDigits = /(?:^|[:,[\s])-?(?:[\d.]{16}|\d[\d.]*[eE])/;

/** A longer number is kept as it is, because a comparison would cost too much time. */
const comparedLengthMax = 400;

/**
 * Parses JSON and keeps the digits of every number: a number that a JavaScript number cannot
 * represent exactly becomes a `JSON.rawJSON` object, which `toJsonText` writes unchanged. Throws
 * SyntaxError.
 */
export function parseJson(text: string): Json {
  // The reviver costs a call per value, so it is used only if there may be a long number.
  if (!mayLoseDigits.test(text)) return JSON.parse(text);
  return JSON.parse(text, keepDigits);
}

function keepDigits(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== "number" || context?.source === undefined) return value;
  return isSameNumber(value, context.source) ? value : JSON.rawJSON(context.source);
}

/** Whether the number would be written with its original value. */
function isSameNumber(value: number, source: string): boolean {
  const written = String(value);
  if (written === source) return true;
  return source.length <= comparedLengthMax && toDecimal(written) === toDecimal(source);
}

/** A canonical text for a decimal: its significant digits and a power of ten. */
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

/** A regular expression would search each run of zeros repeatedly. */
function trimZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === "0") end -= 1;
  return digits.slice(0, end);
}

/**
 * Compact JSON text. Bigints keep their digits. Members with `undefined` are omitted, as in
 * JSON.stringify.
 */
export function toJsonText(value: Json): string {
  return stringify(value) ?? JSON.stringify(value, writeBigint);
}

/** Several times faster without a replacer. Returns null if a bigint requires one. */
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

/** The digits of a number of any type; null for other values. */
export function findNumberText(value: unknown): string | null {
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  return JSON.isRawJSON(value) ? value.rawJSON : null;
}

/** Whether a value is an object with members: neither an array nor a raw number. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value)
  );
}
