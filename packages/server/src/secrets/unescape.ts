import { entityCodes } from "./html-entities.ts";

/** A kind of escape: what it begins with, and how one is read. */
export type EscapeKind = {
  /** The character that begins every escape of this kind. */
  mark: string;
  /** One at its code, else zero. */
  marks: Uint8Array;
  /**
   * Reads the escape that begins at `start`, and ends at `end` at the latest. Returns its length and
   * writes what it stands for, or returns 0 where there is none.
   */
  read(text: string, start: number, end: number, plain: PlainUnits): number;
};

/** What one escape stands for, in UTF-16 units: at most two. One object is used over and over. */
export type PlainUnits = { count: number; first: number; second: number };

/** One for each UTF-16 unit that is among these, else zero. */
export function marksOf(units: string): Uint8Array {
  const marks = new Uint8Array(65_536);
  for (let at = 0; at < units.length; at += 1) marks[units.charCodeAt(at)] = 1;
  return marks;
}

/** Backslashes of JSON, JavaScript, C, Python and Go, and of Markdown, regex and shell before punctuation. */
const backslash: EscapeKind = {
  mark: "\\",
  marks: marksOf("\\"),
  read(text, start, end, plain) {
    if (start + 1 >= end) return 0;
    const next = text.charCodeAt(start + 1);
    if (next === 0x75) return readUnicode(text, start, end, plain);
    if (next === 0x55) return readHexEscape(text, start, end, 8, plain);
    if (next === 0x78) return readHexEscape(text, start, end, 2, plain);
    if (next >= 0x30 && next <= 0x33) return readOctal(text, start, end, plain);
    // A line that is continued: what stands there is nothing.
    if (next === 0x0a) return putNothing(plain, 2);
    const code = controls.get(next) ?? (isPunctuation(next) ? next : -1);
    return code === -1 ? 0 : put(plain, code, 2);
  },
};

/** Percent-encoded UTF-8, else Latin-1, and the `%uXXXX` of JavaScript's `escape`. */
const percent: EscapeKind = {
  mark: "%",
  marks: marksOf("%"),
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
  read(text, start, end, plain) {
    const last = Math.min(end, start + entityCharsMax);
    let stop = start + 1;
    while (stop < last && text.charCodeAt(stop) !== 0x3b) stop += 1;
    if (stop >= last) return 0;
    const name = text.slice(start + 1, stop);
    const code = name.startsWith("#") ? readNumeric(name) : (entityCodes.get(name) ?? -1);
    return code === -1 ? 0 : put(plain, code, stop + 1 - start);
  },
};

/** `&#1114111;` and the longest name in the table. */
const entityCharsMax = 12;

/**
 * Quoted-printable of mail: bytes as `=C3=A9`, and lines that are broken with an equals sign. Only
 * what its encoders write so counts, since `page=42` is in many a text.
 */
export const quotedPrintable: EscapeKind = {
  mark: "=",
  marks: marksOf("="),
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

export const escapeKinds: readonly EscapeKind[] = [backslash, percent, entity];

/** After a backslash: b, f, n, r, t and v. */
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

/** ASCII punctuation, and the space that a shell escapes. */
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

/** `\ooo` as C, Python, git and shells write a byte. */
function readOctal(text: string, start: number, end: number, plain: PlainUnits): number {
  if (start + 4 > end) return 0;
  let code = 0;
  for (let at = start + 1; at < start + 4; at += 1) {
    const digit = text.charCodeAt(at) - 0x30;
    if (digit < 0 || digit > 7) return 0;
    code = code * 8 + digit;
  }
  return put(plain, code, 4);
}

function readNumeric(name: string): number {
  const isHex = (name.charCodeAt(1) | 0x20) === 0x78;
  const digits = name.slice(isHex ? 2 : 1);
  if (!(isHex ? /^[\dA-Fa-f]{1,6}$/ : /^\d{1,7}$/).test(digits)) return -1;
  const code = Number.parseInt(digits, isHex ? 16 : 10);
  return code <= 0x10ffff ? code : -1;
}

/** One character of UTF-8 whose bytes are written as a mark and two hex digits each. */
function readUtf8(text: string, start: number, end: number, plain: PlainUnits): number {
  const first = readHex(text, start + 1, 2, end);
  if (first === -1) return 0;
  const more = first < 0xc2 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : first < 0xf5 ? 3 : 0;
  if (more === 0) return put(plain, first, 3);
  const mark = text.charCodeAt(start);
  let code = first & (0x3f >> more);
  let at = start + 3;
  for (let count = 0; count < more; count += 1, at += 3) {
    // Mailers break lines between the bytes of a character, too.
    if (mark === 0x3d) at += countSoftBreak(text, at, end);
    const byte = at < end && text.charCodeAt(at) === mark ? readHex(text, at + 1, 2, end) : -1;
    // No UTF-8 after all: a byte of Latin-1.
    if (byte === -1 || byte >> 6 !== 2) return put(plain, first, 3);
    code = (code << 6) | (byte & 0x3f);
  }
  const isOverlong = code < (more === 1 ? 0x80 : more === 2 ? 0x800 : 0x10000);
  if (isOverlong || code > 0x10ffff || code >> 11 === 0x1b) return put(plain, first, 3);
  return put(plain, code, at - start);
}

/** How many characters an equals sign and a line break have here; 0 for none. */
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
