import { isWeakSecret } from "../needles/estimate-strength.ts";
import { type Needles, toNeedles } from "../needles/needles.ts";

/** The secrets of a row and their needles, built once for all its calls. */
export type RowSecrets = {
  texts: readonly string[];
  needles(): Needles;
  /** Whether a caller of the row could guess one of them. */
  hasWeak(): boolean;
  /** Those that no caller can guess. */
  strong(): RowSecrets;
};

export function createRowSecrets(given: readonly string[]): RowSecrets {
  const texts = [...new Set(given)].filter((text) => text !== "");
  let needles: Needles | null = null;
  let strong: RowSecrets | null = null;
  const secrets: RowSecrets = {
    texts,
    needles() {
      needles ??= toNeedles(
        texts.map((text) => ({ text, ignoreCase: false, ofRow: true })),
        // An admin chose them, and their forms are written out once for all calls.
        { stepsMax: Number.POSITIVE_INFINITY },
      );
      return needles;
    },
    hasWeak: () => secrets.strong() !== secrets,
    strong() {
      if (strong !== null) return strong;
      const kept = texts.filter((text) => !isWeakSecret(text));
      strong = kept.length === texts.length ? secrets : createRowSecrets(kept);
      return strong;
    },
  };
  return secrets;
}
