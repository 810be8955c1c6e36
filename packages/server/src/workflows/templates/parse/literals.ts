/**
 * The value of a number of a template, as Go reads it: decimal, hexadecimal, octal or binary, with
 * `_` between digits, with an exponent. Null if it is none. An integer that a JavaScript number
 * cannot represent is a `JSON.rawJSON` object, as in parsed JSON. Throws RangeError for a number
 * that is too large.
 */
export function parseNumber(source: string): unknown {
  const sign = source.startsWith("-") ? -1 : 1;
  const digits = source.replace(/^[+-]/, "");
  if (!areUnderscoresBetweenDigits(digits)) return null;
  const plain = digits.replaceAll("_", "");
  if (/^(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+|[1-9]\d*|0[0-7]*)$/.test(plain)) {
    return toInteger(sign, plain);
  }
  if (digits.includes("_")) return null;
  if (!/^(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(plain)) return null;
  if (/^\d+$/.test(plain)) return null;
  const value = sign * Number(plain);
  if (!Number.isFinite(value)) throw new RangeError("too large");
  return value;
}

/** The largest integer of Go, and of 64 bits. */
const integerMax = 2n ** 63n - 1n;

function toInteger(sign: 1 | -1, digits: string): unknown {
  // A leading zero means octal.
  const text = /^0\d/.test(digits) ? `0o${digits.slice(1)}` : digits;
  // The digits of a longer number are not read, because that takes more than linear time.
  if (text.length > 80) throw new RangeError("too large");
  const value = BigInt(sign) * BigInt(text);
  if (value > integerMax || value < -integerMax - 1n) throw new RangeError("too large");
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : JSON.rawJSON(String(value));
}

function areUnderscoresBetweenDigits(digits: string): boolean {
  return !digits.includes("_") || /^(?:0[xXbBoO])?_?[0-9a-fA-F]+(?:_[0-9a-fA-F]+)*$/.test(digits);
}

/**
 * The text of a quoted string with its escapes resolved, as in Go. Null if an escape is unknown.
 * `quote` is `"` or `'`.
 */
export function unquote(source: string): string | null {
  const quote = source[0] ?? "";
  const inside = source.slice(1, -1);
  if (!inside.includes("\\")) return inside;
  // Escapes can name single bytes, so the text is put together as UTF-8.
  const parts: Buffer[] = [];
  let at = 0;
  while (at < inside.length) {
    const slash = inside.indexOf("\\", at);
    const end = slash === -1 ? inside.length : slash;
    parts.push(Buffer.from(inside.slice(at, end)));
    if (slash === -1) break;
    const escaped = readEscape(inside, slash + 1, quote);
    if (escaped === null) return null;
    parts.push(escaped.bytes);
    at = escaped.end;
  }
  return Buffer.concat(parts).toString("utf8");
}

/** The text of a raw string, without carriage returns, as in Go. */
export function unquoteRaw(source: string): string {
  return source.slice(1, -1).replaceAll("\r", "");
}

const simpleEscapes: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  t: 9,
  n: 10,
  v: 11,
  f: 12,
  r: 13,
  "\\": 92,
};

function readEscape(
  text: string,
  at: number,
  quote: string,
): { bytes: Buffer; end: number } | null {
  const char = text[at] ?? "";
  if (char === quote) return { bytes: Buffer.from(char), end: at + 1 };
  if (Object.hasOwn(simpleEscapes, char)) {
    return { bytes: Buffer.from([simpleEscapes[char] ?? 0]), end: at + 1 };
  }
  if (char >= "0" && char <= "7") return readCode(text, at, { digits: 3, base: 8, isByte: true });
  if (char === "x") return readCode(text, at + 1, { digits: 2, base: 16, isByte: true });
  if (char === "u") return readCode(text, at + 1, { digits: 4, base: 16, isByte: false });
  if (char === "U") return readCode(text, at + 1, { digits: 8, base: 16, isByte: false });
  return null;
}

function readCode(
  text: string,
  at: number,
  { digits, base, isByte }: { digits: number; base: 8 | 16; isByte: boolean },
): { bytes: Buffer; end: number } | null {
  const end = at + digits;
  const code = text.slice(at, end);
  if (code.length < digits || !(base === 8 ? /^[0-7]+$/ : /^[0-9a-fA-F]+$/).test(code)) return null;
  const value = Number.parseInt(code, base);
  if (isByte) return value > 0xff ? null : { bytes: Buffer.from([value]), end };
  if (value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff)) return null;
  return { bytes: Buffer.from(String.fromCodePoint(value)), end };
}
