import type { Match } from "./merge-matches.ts";
import { findTokenSpans, type Span } from "./token-format.ts";

/**
 * Genuine tokens that a match reaches into; of forged spans laid around them, none. Forged spans
 * can be nested without end, so no more is opened than real tokens could need.
 */
export function findKept(
  text: string,
  matches: readonly Match[],
  isGenuine: (token: string) => boolean,
): Span[] {
  const kept: Span[] = [];
  let charsLeft = text.length * 4;
  let next = 0;
  for (const span of findTokenSpans(text)) {
    while ((matches[next]?.end ?? text.length) <= span.start && next < matches.length) next += 1;
    const match = matches[next];
    if (match === undefined) break;
    if (match.start >= span.end) continue;
    charsLeft -= span.end - span.start;
    if (charsLeft < 0) break;
    if (isGenuine(text.slice(span.start, span.end))) kept.push(span);
  }
  return kept;
}
