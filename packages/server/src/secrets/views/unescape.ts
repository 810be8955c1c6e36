import { findEntityUnits } from "./html-entity-names.ts";

/** A kind of escape and its parser. */
export type EscapeKind = {
  /** The first character of every escape of this kind. */
  mark: string;
  /** A table by UTF-16 unit: 1 for the mark, otherwise 0. */
  marks: Uint8Array;
  /** The next index from which an escape may start, or -1. */
  find(text: string, from: number): number;
  /**
   * Parses the escape at `start`, which must end at `end` or earlier. Writes its meaning to `plain`
   * and returns its length, or 0 if there is no escape.
   */
  read(text: string, start: number, end: number, plain: PlainUnits): number;
};

/** The meaning of one escape: at most two UTF-16 units. One object is reused. */
export type PlainUnits = { count: number; first: number; second: number };

/** A table by UTF-16 unit: 1 for the given units, otherwise 0. */
export function marksOf(units: string): Uint8Array {
  const marks = new Uint8Array(65_536);
  for (let at = 0; at < units.length; at += 1) marks[units.charCodeAt(at)] = 1;
  return marks;
}

/**
 * Backslash escapes of JSON, JavaScript, C, Python and Go, and before punctuation those of
 * Markdown, regex and shells.
 */
const backslash: EscapeKind = {
  mark: "\\",
  marks: marksOf("\\"),
  find: (text, from) => text.indexOf("\\", from),
  read(text, start, end, plain) {
    if (start + 1 >= end) return 0;
    const next = text.charCodeAt(start + 1);
    if (next === 0x75) return readUnicode(text, start, end, plain);
    if (next === 0x55) return readHexEscape(text, start, end, 8, plain);
    if (next === 0x78) return readHexEscape(text, start, end, 2, plain);
    if (next >= 0x30 && next <= 0x37) return readOctal(text, start, end, plain);
    // A backslash before a line break joins the lines.
    if (next === 0x0a) return putNothing(plain, 2);
    const code = controls.get(next) ?? (isPunctuation(next) ? next : -1);
    return code === -1 ? 0 : put(plain, code, 2);
  },
};

/** Percent-encoded UTF-8 or Latin-1, and `%uXXXX` of JavaScript's `escape`. */
const percent: EscapeKind = {
  mark: "%",
  marks: marksOf("%"),
  find: (text, from) => text.indexOf("%", from),
  read(text, start, end, plain) {
    if (start + 1 < end && (text.charCodeAt(start + 1) | 0x20) === 0x75) {
      const code = readHex(text, start + 2, 4, end);
      return code === -1 ? 0 : put(plain, code, 6);
    }
    return readUtf8(text, start, end, plain);
  },
};

const entity: EscapeKind = {
  mark: "&",
  marks: marksOf("&"),
  find: (text, from) => text.indexOf("&", from),
  read(text, start, end, plain) {
    const last = Math.min(end, start + entityCharsMax);
    let stop = start + 1;
    if (text.charCodeAt(stop) === 0x23) stop += 1;
    while (stop < last && isAlphanumeric(text.charCodeAt(stop))) stop += 1;
    if (stop >= last || text.charCodeAt(stop) !== 0x3b) return 0;
    const name = text.slice(start + 1, stop);
    const chars = stop + 1 - start;
    if (name.startsWith("#")) {
      const code = readNumeric(name);
      return code === -1 ? 0 : put(plain, code, chars);
    }
    const [first, second = -1] = findEntityUnits(name) ?? [];
    if (first === undefined) return 0;
    plain.count = second === -1 ? 1 : 2;
    plain.first = first;
    plain.second = second;
    return chars;
  },
};

/** The length of the longest name, `&CounterClockwiseContourIntegral;`. */
const entityCharsMax = 33;

/**
 * Quoted-printable in mail: bytes as `=C3=A9`, and soft line breaks. Only escapes that encoders
 * write are decoded, because texts such as `page=42` are common.
 */
export const quotedPrintable: EscapeKind = {
  mark: "=",
  marks: marksOf("="),
  find(text, from) {
    encodedOrBreak.lastIndex = from;
    return encodedOrBreak.exec(text)?.index ?? -1;
  },
  read(text, start, end, plain) {
    const breakChars = countSoftBreak(text, start, end);
    if (breakChars > 0) return putNothing(plain, breakChars);
    const chars = readUtf8(text, start, end, plain);
    if (chars !== 3) return chars;
    const code = plain.first;
    if (code === 0x20) return isLineEnd(text, start + 3, end) ? chars : 0;
    const isWritten =
      code < 0x20 || code >= 0xa0 || '!"#$=@[\\]^`{|}~'.includes(String.fromCharCode(code));
    return isWritten ? chars : 0;
  },
};

/**
 * The beginnings of all texts that quoted-printable decodes. Logs have many other equals signs,
 * which the native search passes faster.
 */
const encodedOrBreak = /=(?:\r?\n|[01a-f][\da-f]|2[0-4]|3d|40|5[b-e]|60|7[b-e])/gi;

export const escapeKinds: readonly EscapeKind[] = [backslash, percent, entity];

/** The characters b, f, n, r, t and v after a backslash. */
const controls = new Map([
  [0x62, 0x08],
  [0x66, 0x0c],
  [0x6e, 0x0a],
  [0x72, 0x0d],
  [0x74, 0x09],
  [0x76, 0x0b],
]);

function isLineEnd(text: string, at: number, end: number): boolean {
  const code = at < end ? text.charCodeAt(at) : 0x0a;
  return code === 0x0a || code === 0x0d || code === 0x3d;
}

/** ASCII punctuation and the space, which shells escape. */
function isPunctuation(code: number): boolean {
  if (code < 0x20 || code > 0x7e) return false;
  return !isAlphanumeric(code);
}

function isAlphanumeric(code: number): boolean {
  const lower = code | 0x20;
  return (code >= 0x30 && code <= 0x39) || (code < 0x80 && lower >= 0x61 && lower <= 0x7a);
}

function put(plain: PlainUnits, code: number, chars: number): number {
  if (code > 0xffff) {
    plain.count = 2;
    plain.first = 0xd800 + ((code - 0x10000) >> 10);
    plain.second = 0xdc00 + ((code - 0x10000) & 0x3ff);
  } else {
    plain.count = 1;
    plain.first = code;
  }
  return chars;
}

function putNothing(plain: PlainUnits, chars: number): number {
  plain.count = 0;
  return chars;
}

/** `\uXXXX` and `\u{X…}`. */
function readUnicode(text: string, start: number, end: number, plain: PlainUnits): number {
  if (start + 2 >= end || text.charCodeAt(start + 2) !== 0x7b) {
    return readHexEscape(text, start, end, 4, plain);
  }
  let code = 0;
  let at = start + 3;
  for (; at < end && at < start + 9; at += 1) {
    const digit = toDigit(text.charCodeAt(at));
    if (digit === -1) break;
    code = code * 16 + digit;
  }
  if (at === start + 3 || at >= end || text.charCodeAt(at) !== 0x7d || code > 0x10ffff) return 0;
  return put(plain, code, at + 1 - start);
}

function readHexEscape(
  text: string,
  start: number,
  end: number,
  digits: number,
  plain: PlainUnits,
): number {
  const code = readHex(text, start + 2, digits, end);
  return code === -1 || code > 0x10ffff ? 0 : put(plain, code, digits + 2);
}

/** `\ooo`: a byte as C, Python, git and shells write it. Some write as few digits as the next character allows. */
function readOctal(text: string, start: number, end: number, plain: PlainUnits): number {
  let code = 0;
  let at = start + 1;
  for (; at < end && at < start + 4; at += 1) {
    const digit = text.charCodeAt(at) - 0x30;
    if (digit < 0 || digit > 7 || code * 8 + digit > 0xff) break;
    code = code * 8 + digit;
  }
  return put(plain, code, at - start);
}

function readNumeric(name: string): number {
  const isHex = (name.charCodeAt(1) | 0x20) === 0x78;
  const digits = name.slice(isHex ? 2 : 1);
  if (!(isHex ? /^[\dA-Fa-f]{1,6}$/ : /^\d{1,7}$/).test(digits)) return -1;
  const code = Number.parseInt(digits, isHex ? 16 : 10);
  return code <= 0x10ffff ? code : -1;
}

/** A UTF-8 character with its bytes written as a mark and two hex digits each. */
function readUtf8(text: string, start: number, end: number, plain: PlainUnits): number {
  const first = readHex(text, start + 1, 2, end);
  if (first === -1) return 0;
  const more = first < 0xc2 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : first < 0xf5 ? 3 : 0;
  if (more === 0) return put(plain, first, 3);
  const mark = text.charCodeAt(start);
  let code = first & (0x3f >> more);
  let at = start + 3;
  for (let count = 0; count < more; count += 1, at += 3) {
    // Mail programs also break lines between the bytes of a character.
    if (mark === 0x3d) at += countSoftBreak(text, at, end);
    const byte = at < end && text.charCodeAt(at) === mark ? readHex(text, at + 1, 2, end) : -1;
    // The bytes are not valid UTF-8, so this one is Latin-1.
    if (byte === -1 || byte >> 6 !== 2) return put(plain, first, 3);
    code = (code << 6) | (byte & 0x3f);
  }
  const isOverlong = code < (more === 1 ? 0x80 : more === 2 ? 0x800 : 0x10000);
  if (isOverlong || code > 0x10ffff || code >> 11 === 0x1b) return put(plain, first, 3);
  return put(plain, code, at - start);
}

/** The length of an equals sign with a line break; 0 if there is none here. */
function countSoftBreak(text: string, start: number, end: number): number {
  if (start + 1 >= end || text.charCodeAt(start) !== 0x3d) return 0;
  const next = text.charCodeAt(start + 1);
  if (next === 0x0a) return 2;
  return next === 0x0d && start + 2 < end && text.charCodeAt(start + 2) === 0x0a ? 3 : 0;
}

function readHex(text: string, start: number, digits: number, end: number): number {
  if (start + digits > end) return -1;
  let code = 0;
  for (let at = start; at < start + digits; at += 1) {
    const digit = toDigit(text.charCodeAt(at));
    if (digit === -1) return -1;
    code = code * 16 + digit;
  }
  return code;
}

function toDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
