import { cutTextAtCharacter } from "../lib/cut-json.ts";
import { findTokenSpans } from "../secrets/token-format.ts";

/** Cuts a sealed text to at most so many bytes of JSON, never inside a character or a token. */
export function cutSealedText(text: string, bytesMax: number): string {
  let end = cutTextAtCharacter(text, bytesMax).length;
  if (end === text.length) return text;
  // Half a token opens nothing, and a model would pass it on all the same. Forged tokens may be
  // laid around real ones, so a step back can land in another: seen from the end, each is met once.
  for (const span of findTokenSpans(text).reverse()) {
    if (span.start < end && span.end > end) end = span.start;
  }
  return text.slice(0, end);
}
