import type { Sealer } from "../value-tokens/sealer.ts";

/** Thrown if one value contains secrets in more forms than may be sealed at once. */
export class TooManySecretsError extends Error {
  constructor() {
    super("A value contains secrets in too many forms to be sealed at once");
  }
}

/** One token takes 40 to 180 µs to make or open, so this many do not block other callers. */
const sealsMax = 128;
const openedCharsMax = 256 * 1024;
/** Long texts take 0.1 µs for each character. */
const sealedCharsMax = 256 * 1024;

/** A sealer that makes and opens a limited number of tokens until it is restarted. */
export function limitSeals(sealer: Sealer): Sealer & { restart(): void } {
  /** Made for the first token. */
  let sealed: Set<string> | null = null;
  let opened: Set<string> | null = null;
  let openedChars = 0;
  let sealedChars = 0;
  return {
    restart() {
      sealed?.clear();
      sealedChars = 0;
      opened?.clear();
      openedChars = 0;
    },
    seal(text, ofRow) {
      sealed ??= new Set();
      if (!sealed.has(text)) sealedChars += text.length;
      sealed.add(text);
      if (sealed.size > sealsMax || sealedChars > sealedCharsMax) throw new TooManySecretsError();
      return sealer.seal(text, ofRow);
    },
    isGenuine(token) {
      opened ??= new Set();
      if (opened.has(token)) return sealer.isGenuine(token);
      // Only fake tokens that enclose each other can have more characters than the text.
      if (openedChars + token.length > openedCharsMax) return false;
      opened.add(token);
      openedChars += token.length;
      if (opened.size > sealsMax) throw new TooManySecretsError();
      return sealer.isGenuine(token);
    },
  };
}
