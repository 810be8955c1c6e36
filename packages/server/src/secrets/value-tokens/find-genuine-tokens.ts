import type { Match } from "../masks/merge-matches.ts";
import { findTokenSpans, type Span } from "./token-format.ts";

/**
 * The genuine tokens that a match overlaps. Fake tokens may be nested around them without limit, so
 * the number of decrypted characters is limited.
 */
export function findGenuineTokens(
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
