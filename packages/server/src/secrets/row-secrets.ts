import { type Needles, toNeedles } from "./needles.ts";

/** The secrets of a row and their needles, built once for all its calls. */
export type RowSecrets = { texts: readonly string[]; needles(): Needles };

export function createRowSecrets(given: readonly string[]): RowSecrets {
  const texts = [...new Set(given)].filter((text) => text !== "");
  let needles: Needles | null = null;
  return {
    texts,
    needles() {
      needles ??= toNeedles(
        texts.map((text) => ({ text, ignoreCase: false, ofRow: true })),
        // An admin chose them, and their forms are written out once for all calls.
        { stepsMax: Number.POSITIVE_INFINITY },
      );
      return needles;
    },
  };
}
