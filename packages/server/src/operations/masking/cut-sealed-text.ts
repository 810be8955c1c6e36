import { cutTextAtCharacter } from "../../lib/json/cut-json.ts";
import { stepOutOfTokens } from "../../secrets/value-tokens/token-format.ts";

/** Cuts a sealed text to at most this many bytes of JSON, never inside a character or a token. */
export function cutSealedText(text: string, bytesMax: number): string {
  const { length } = cutTextAtCharacter(text, bytesMax);
  return length === text.length ? text : text.slice(0, stepOutOfTokens(text, length));
}
