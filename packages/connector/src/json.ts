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

/** So many digits always survive in a JavaScript number of a usual size. */
const safeCharsMax = 15;
/** Digits that a JavaScript number is written with at most, without the zeros around them. */
const writtenDigitsMax = 17;
const usualMin = 1e-290;
const usualMax = 1e290;

/**
 * Whether the number would be written with its original value. It is asked of each number of a message, so it finds the
 * usual ones without comparing digits.
 */
function isSameNumber(value: number, source: string): boolean {
  if (!Number.isFinite(value)) return false;
  const size = Math.abs(value);
  if (source.length <= safeCharsMax && size > usualMin && size < usualMax) return true;
  if (source.length > comparedLengthMax) return false;
  const exact = readDecimal(source);
  if (exact === null) return false;
  const written = readDecimal(String(value));
  return written !== null && isSameDecimal(exact, written);
}

const zero = "0".charCodeAt(0);
const minus = "-".charCodeAt(0);
const point = ".".charCodeAt(0);

/**
 * A decimal of JSON as it is in its text: where its digits are, from the first to the last that is not zero, their
 * number, and the power of ten of the last.
 */
type Decimal = { text: string; first: number; last: number; digits: number; power: number };

/**
 * Null for one with more digits than a JavaScript number is written with. A message may have a hundred thousand of them,
 * so this writes no other text.
 */
function readDecimal(text: string): Decimal | null {
  const lower = text.indexOf("e");
  const mark = lower === -1 ? text.indexOf("E") : lower;
  const end = mark === -1 ? text.length : mark;
  let first = text.charCodeAt(0) === minus ? 1 : 0;
  while (first < end && isBlank(text.charCodeAt(first))) first += 1;
  if (first === end) return { text, first, last: first, digits: 0, power: 0 };
  let last = end - 1;
  while (isBlank(text.charCodeAt(last))) last -= 1;
  const given = text.indexOf(".");
  const pointAt = given === -1 ? end : given;
  const hasPoint = first < pointAt && pointAt < last;
  const digits = last - first + (hasPoint ? 0 : 1);
  if (digits > writtenDigitsMax) return null;
  const exponent = mark === -1 ? 0 : Number(text.slice(mark + 1));
  const power = exponent + (last < pointAt ? pointAt - 1 - last : pointAt - last);
  return { text, first, last, digits, power };
}

/** Whether the character is none of the digits that count at the ends of a decimal. */
function isBlank(code: number): boolean {
  return code === zero || code === point;
}

/** Of two with the same sign. */
function isSameDecimal(one: Decimal, other: Decimal): boolean {
  if (one.digits !== other.digits) return false;
  if (one.digits === 0) return true;
  if (one.power !== other.power) return false;
  let otherAt = other.first;
  for (let at = one.first; at <= one.last; at += 1) {
    const code = one.text.charCodeAt(at);
    if (code === point) continue;
    if (other.text.charCodeAt(otherAt) === point) otherAt += 1;
    if (code !== other.text.charCodeAt(otherAt)) return false;
    otherAt += 1;
  }
  return true;
}

/**
 * JSON text, compact or with an indentation of so many blanks. Bigints keep their digits. Members with
 * `undefined` are omitted, as in JSON.stringify. Half of a surrogate pair, which is no Unicode, is
 * written as U+FFFD: JSON.stringify writes its escape, and strict parsers refuse all of such a text
 * (RFC 8259, 8.2).
 */
export function toJsonText(value: Json, indent = 0): string {
  return replaceHalves(stringify(value, indent) ?? JSON.stringify(value, writeBigint, indent));
}

/** Several times faster without a replacer. Returns null if a bigint requires one. */
function stringify(value: Json, indent: number): string | null {
  try {
    return JSON.stringify(value, null, indent) ?? "null";
  } catch (thrown) {
    // The slower method throws all other errors again.
    if (thrown instanceof TypeError) return null;
    throw thrown;
  }
}

/** JSON.stringify escapes such halves alone, in lower case. */
const halfEscape = "\\ud";
const halfEscapeChars = "\\ud800".length;
const backslash = "\\".charCodeAt(0);

function replaceHalves(json: string): string {
  let at = json.indexOf(halfEscape);
  if (at === -1) return json;
  const parts: string[] = [];
  let copied = 0;
  for (; at !== -1; at = json.indexOf(halfEscape, at + halfEscape.length)) {
    // After an odd number of backslashes, this one is escaped itself.
    let before = at;
    while (json.charCodeAt(before - 1) === backslash) before -= 1;
    if ((at - before) % 2 === 1) continue;
    parts.push(json.slice(copied, at), "\ufffd");
    copied = at + halfEscapeChars;
  }
  return parts.length === 0 ? json : parts.join("") + json.slice(copied);
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
