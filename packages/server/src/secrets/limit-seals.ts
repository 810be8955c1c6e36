import type { Sealer } from "./mask.ts";

/** Thrown where one value shows secrets in more ways than may be sealed at once. */
export class TooManySecretsError extends Error {
  constructor() {
    super("A value shows secrets in too many ways to be sealed at once");
  }
}

/** Sealing takes some 40 µs: so many of them keep nobody waiting. */
const sealsMax = 256;
const openedCharsMax = 512 * 1024;

/** A sealer that makes so many tokens only until it is started anew; known ones cost nothing. */
export function limitSeals(sealer: Sealer): Sealer & { restart(): void } {
  const sealed = new Set<string>();
  let openedChars = 0;
  return {
    restart() {
      sealed.clear();
      openedChars = 0;
    },
    seal(text, ofRow) {
      sealed.add(text);
      if (sealed.size > sealsMax) throw new TooManySecretsError();
      return sealer.seal(text, ofRow);
    },
    isGenuine(token) {
      openedChars += token.length;
      // Only forged tokens, laid around each other, take more than the text is long.
      return openedChars <= openedCharsMax && sealer.isGenuine(token);
    },
  };
}
