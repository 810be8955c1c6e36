import { randomUUID } from "node:crypto";
import { parseJson } from "@hub/connector";
import { isSmallJson } from "../../../lib/json/check-json.ts";
import { UnreadBody } from "../../../lib/streams/unread-body.ts";

/** Only numbers of structured content are kept: the protocol itself has small ones. */
const structuredKey = '"structuredContent"';

/** A shorter number without an exponent keeps its digits in `Number`. */
const exactCharsMax = 15;

/** JavaScript writes no number longer than this. */
const comparedCharsMax = 25;

/** Unknown to servers, so that no text of theirs is read as a number. */
const mark = `number-${randomUUID()}:`;

const markedNumber = new RegExp(`"${mark}([^"]+)"`, "g");

const quote = 0x22;
const plus = 0x2b;
const minus = 0x2d;
const point = 0x2e;
const upperE = 0x45;
const backslash = 0x5c;
const lowerE = 0x65;

/**
 * The client library parses messages with `JSON.parse`, which changes numbers that a JavaScript number
 * cannot represent exactly, such as large ids. In a message with structured content they become marked
 * texts here, which `restoreDigits` reads.
 */
export function hideDigits(text: string): string {
  const start = text.indexOf(structuredKey);
  return start === -1 ? text : hideFrom(text, start);
}

function hideFrom(text: string, start: number): string {
  const parts: string[] = [];
  let written = 0;
  let at = start;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      at = findStringEnd(text, at + 1);
    } else if (code === minus || isDigit(code)) {
      const end = findNumberEnd(text, at + 1);
      const number = text.slice(at, end);
      if (mayLoseDigits(number)) {
        parts.push(text.slice(written, at), `"${mark}${number}"`);
        written = end;
      }
      at = end;
    } else {
      at += 1;
    }
  }
  if (written === 0) return text;
  parts.push(text.slice(written));
  return parts.join("");
}

/** The value with its numbers as `parseJson` reads them. A large one is left unread, for a worker. */
export function restoreDigits(value: unknown): unknown {
  const text = JSON.stringify(value);
  if (text?.includes(mark) !== true) return value;
  const restored = text.replace(markedNumber, "$1");
  if (isSmallJson(restored)) return parseJson(restored);
  return new UnreadBody(Buffer.from(restored), { kind: "json" });
}

/** The position after the closing quote. */
function findStringEnd(text: string, start: number): number {
  let at = start;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === quote) return at + 1;
    at += code === backslash ? 2 : 1;
  }
  return at;
}

function findNumberEnd(text: string, start: number): number {
  let at = start;
  while (at < text.length && isOfNumber(text.charCodeAt(at))) at += 1;
  return at;
}

/** Also for a number that is only written in another way: `parseJson` compares them later. */
function mayLoseDigits(number: string): boolean {
  if (number.length <= exactCharsMax && !/[eE]/.test(number)) return false;
  if (number.length <= comparedCharsMax && String(Number(number)) === number) return false;
  // The library reports what is not JSON.
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(number);
}

function isOfNumber(code: number): boolean {
  if (isDigit(code) || code === point || code === minus || code === plus) return true;
  return code === lowerE || code === upperE;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}
