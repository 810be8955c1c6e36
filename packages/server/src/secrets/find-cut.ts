import type { Match } from "./merge-matches.ts";
import type { MaskedSecret } from "./needles.ts";

/** Where secrets show in a text; null when it cannot be searched. */
type Search = (text: string) => Match[] | null;

/**
 * The most characters that a byte of a secret takes in any form that is found: two hex digits or a
 * decimal number with separators, escaped up to three times, take fewer.
 */
const charsOfByte = 64;
/** For what stands around an encoded secret, such as the beginning of an escape or a line break. */
const charsBeside = 1024;
/** A secret longer than this within a text is not looked for around a cut as a whole. */
const reachMax = 128 * 1024;

/** How far from a cut a secret can begin or end that the cut goes through. */
export function findReach(secrets: readonly MaskedSecret[]): number {
  const longest = secrets.reduce((bytes, { text }) => Math.max(bytes, Buffer.byteLength(text)), 0);
  return Math.min(longest * charsOfByte + charsBeside, reachMax);
}

/**
 * The last place at or before `end` where a text can be cut without cutting through a secret: half
 * a secret is not found any more.
 */
export function findCut(text: string, end: number, reach: number, search: Search): number {
  const from = Math.max(0, end - reach);
  const around = text.slice(from, end + reach);
  const matches = search(around);
  // What cannot be searched cannot stay either.
  if (matches === null) return from;
  const split = matches.find((match) => from + match.start < end && from + match.end > end);
  return split === undefined ? end : from + split.start;
}

/** The same of a list, whose numbers may be the bytes of a text. */
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

/** Bytes as a text of as many characters, so that each byte keeps its place. */
export function toLatin1(bytes: readonly number[]): string {
  return Buffer.from(bytes).toString("latin1");
}

function isByte(item: unknown): item is number {
  return typeof item === "number" && item >= 0 && item <= 255 && Number.isInteger(item);
}
