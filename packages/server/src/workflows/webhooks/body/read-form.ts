import { isUtf8 } from "node:buffer";
import { brokenBytesMax, decodeText, toBuffer } from "./decode-text.ts";

const ampersand = "&".charCodeAt(0);
const equals = "=".charCodeAt(0);
const percent = "%".charCodeAt(0);
const plus = "+".charCodeAt(0);
const space = " ".charCodeAt(0);
const byteOrderMark = [0xef, 0xbb, 0xbf];

/**
 * The names and values of a form in UTF-8, in order. Reads the bytes themselves: to write 10 MiB of them as a text first
 * and to read that costs twice as much. Of names and values that are not UTF-8, as many bytes are decoded exactly as
 * `decodeText` does of a whole body.
 */
export function* readUtf8Form(raw: Uint8Array): Generator<[string, string]> {
  const start = byteOrderMark.every((byte, at) => raw[at] === byte) ? byteOrderMark.length : 0;
  let exactLeft = brokenBytesMax;
  yield* readForm(raw.subarray(start), (bytes) => {
    if (isUtf8(bytes)) return bytes.toString("utf8");
    const isExact = bytes.byteLength <= exactLeft;
    exactLeft = Math.max(exactLeft - bytes.byteLength, 0);
    return isExact ? bytes.toString("utf8") : decodeText(bytes, null, 0);
  });
}

/** The names and values of a form, in order. `decode` gets each without escapes. */
export function* readForm(
  raw: Uint8Array,
  decode: (bytes: Buffer) => string,
): Generator<[string, string]> {
  const bytes = toBuffer(raw);
  // Once for all fields, since a form may have thousands.
  const unescaped = Buffer.allocUnsafe(bytes.byteLength);
  const read = (start: number, end: number) =>
    decode(unescaped.subarray(start, writePlain(bytes, { start, end }, unescaped)));
  for (let start = 0; start < bytes.byteLength; ) {
    const next = bytes.indexOf(ampersand, start);
    const end = next === -1 ? bytes.byteLength : next;
    if (end > start) {
      const sign = bytes.subarray(start, end).indexOf(equals);
      const nameEnd = sign === -1 ? end : start + sign;
      yield [read(start, nameEnd), sign === -1 ? "" : read(nameEnd + 1, end)];
    }
    start = end + 1;
  }
}

/**
 * Writes a part of the bytes without escapes to the same place of `target`, and returns where it ends there. A loop: a
 * replacement with a function takes ten times as long.
 */
function writePlain(
  bytes: Uint8Array,
  { start, end }: { start: number; end: number },
  target: Uint8Array,
): number {
  let length = start;
  for (let at = start; at < end; at += 1) {
    let byte = bytes[at] ?? 0;
    if (byte === plus) byte = space;
    else if (byte === percent && at + 2 < end) {
      const high = readHexDigit(bytes[at + 1]);
      const low = readHexDigit(bytes[at + 2]);
      if (high >= 0 && low >= 0) {
        byte = high * 16 + low;
        at += 2;
      }
    }
    target[length] = byte;
    length += 1;
  }
  return length;
}

/** -1 for other characters. */
function readHexDigit(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x61 + 10 : -1;
}
