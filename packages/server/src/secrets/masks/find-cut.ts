import type { MaskedSecret } from "../needles/needles.ts";
import type { Match } from "./merge-matches.ts";

/** Finds the secrets in a text. Returns null if the text cannot be searched. */
type Search = (text: string) => Match[] | null;

/**
 * No encoding that is searched uses more characters per byte of a secret. Two hex digits or a
 * decimal number with separators, escaped up to three times, use fewer.
 */
const charsOfByte = 64;
/** Space for the characters around an encoded secret, such as an escape or a line break. */
const charsBeside = 1024;
/** Around a cut, only this much text is searched. A longer secret may not be found there. */
const reachMax = 128 * 1024;

/** The maximum distance between a cut and either end of a secret that the cut splits. */
export function findReach(secrets: readonly MaskedSecret[]): number {
  const longest = secrets.reduce((bytes, { text }) => Math.max(bytes, Buffer.byteLength(text)), 0);
  return Math.min(longest * charsOfByte + charsBeside, reachMax);
}

/**
 * The last index up to `end` where a cut does not split a secret. A part of a secret would not be
 * found later.
 */
export function findCut(text: string, end: number, reach: number, search: Search): number {
  const from = Math.max(0, end - reach);
  const around = text.slice(from, end + reach);
  const matches = search(around);
  // A text that cannot be searched must not remain.
  if (matches === null) return from;
  const split = matches.find((match) => from + match.start < end && from + match.end > end);
  return split === undefined ? end : from + split.start;
}

/** The same for a list whose numbers may be the bytes of a text. */
export function findListCut(
  items: readonly unknown[],
  end: number,
  reach: number,
  search: Search,
): number {
  const bytes: number[] = [];
  let from = end;
  for (; from > 0 && end - from < reach && isByte(items[from - 1]); from -= 1);
  for (let at = from; at < Math.min(items.length, end + reach); at += 1) {
    const item = items[at];
    if (!isByte(item)) break;
    bytes.push(item);
  }
  return bytes.length <= end - from
    ? end
    : from + findCut(toLatin1(bytes), end - from, reach, search);
}

/** Converts bytes to a text with one character per byte, so that indexes stay the same. */
export function toLatin1(bytes: readonly number[]): string {
  return Buffer.from(bytes).toString("latin1");
}

function isByte(item: unknown): item is number {
  return typeof item === "number" && item >= 0 && item <= 255 && Number.isInteger(item);
}
