import type { Sealer } from "./sealer.ts";

/** Thrown where one value shows secrets in more ways than may be sealed at once. */
export class TooManySecretsError extends Error {
  constructor() {
    super("A value shows secrets in too many ways to be sealed at once");
  }
}

/** Sealing or opening takes 40 to 180 µs: so many keep no other caller waiting. */
const sealsMax = 128;
const openedCharsMax = 256 * 1024;

/** A sealer that makes and opens so many tokens only until it is started anew. */
export function limitSeals(sealer: Sealer): Sealer & { restart(): void } {
  const sealed = new Set<string>();
  const opened = new Set<string>();
  let openedChars = 0;
  return {
    restart() {
      sealed.clear();
      opened.clear();
      openedChars = 0;
    },
    seal(text, ofRow) {
      sealed.add(text);
      if (sealed.size > sealsMax) throw new TooManySecretsError();
      return sealer.seal(text, ofRow);
    },
    isGenuine(token) {
      if (opened.has(token)) return sealer.isGenuine(token);
      // Only forged tokens, laid around each other, take more than the text is long.
      if (openedChars + token.length > openedCharsMax) return false;
      opened.add(token);
      openedChars += token.length;
      if (opened.size > sealsMax) throw new TooManySecretsError();
      return sealer.isGenuine(token);
    },
  };
}
