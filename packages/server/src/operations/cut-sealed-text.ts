import { cutTextAtCharacter } from "../lib/cut-json.ts";
import { findTokenSpans } from "../secrets/token-format.ts";

/** Cuts a sealed text to at most so many bytes of JSON, never inside a character or a token. */
export function cutSealedText(text: string, bytesMax: number): string {
  const kept = cutTextAtCharacter(text, bytesMax);
  if (kept.length === text.length) return text;
  const split = findTokenSpans(text).find(
    (span) => span.start < kept.length && span.end > kept.length,
  );
  // Half a token opens nothing, and a model would pass it on all the same.
  return split === undefined ? kept : text.slice(0, split.start);
}
