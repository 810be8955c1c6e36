import { findMatches } from "./find-matches.ts";
import type { MaskedSecret, Needles } from "./needles.ts";

/** The most characters that one character of a secret takes when it is escaped three times. */
const charsOfEscape = 16;
/** A secret longer than this within a text is not looked for around a cut as a whole. */
const reachMax = 128 * 1024;

/** How far from a cut a secret can begin or end that the cut goes through. */
export function findReach(secrets: readonly MaskedSecret[]): number {
  const longest = secrets.reduce((chars, { text }) => Math.max(chars, text.length), 0);
  return Math.min(longest * charsOfEscape + 64, reachMax);
}

/**
 * The last place at or before `end` where a text can be cut without cutting through a secret: half
 * a secret is not found any more.
 */
export function findCut(text: string, end: number, needles: Needles, reach: number): number {
  const from = Math.max(0, end - reach);
  const around = text.slice(from, end + reach);
  const matches = findMatches(around, needles);
  // What cannot be searched cannot stay either.
  if (matches === null) return from;
  const split = matches.find((match) => from + match.start < end && from + match.end > end);
  return split === undefined ? end : from + split.start;
}
