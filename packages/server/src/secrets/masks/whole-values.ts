import { partCharsMin } from "../needles/needle-forms.ts";
import type { MaskedSecret } from "../needles/needles.ts";
import { foldCase } from "../views/fold-case.ts";

/**
 * Secrets that are masked as whole values: texts of any length, and numbers by their digits. The
 * map values say whether the secret belongs to the row.
 */
export type WholeValues = {
  exact: ReadonlyMap<string, boolean>;
  folded: ReadonlyMap<string, boolean>;
  /** The lengths of the texts in `folded`. Texts of other lengths need no folding. */
  foldedChars: ReadonlySet<number>;
  /** Long numbers as JavaScript numbers, because a connector may have parsed them. */
  numbers: ReadonlyMap<string, boolean>;
};

export function toWholeValues(secrets: readonly MaskedSecret[]): WholeValues {
  const exact = new Map<string, boolean>();
  const folded = new Map<string, boolean>();
  const numbers = new Map<string, boolean>();
  const addValue = (wholeValues: Map<string, boolean>, text: string, ofRow: boolean) => {
    wholeValues.set(text, ofRow || wholeValues.get(text) === true);
  };
  for (const { text, ignoreCase, ofRow } of secrets) {
    for (const whole of new Set([text, text.trim()])) {
      if (ignoreCase) addValue(folded, foldCase(whole), ofRow);
      else addValue(exact, whole, ofRow);
      if (ignoreCase || !/^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(whole)) continue;
      const digits = String(Number(whole));
      // The secret 0001 must not replace every 1.
      if (digits.length < partCharsMin || digits === "Infinity") continue;
      addValue(numbers, digits, ofRow);
    }
  }
  const foldedChars = new Set([...folded.keys()].map((text) => text.length));
  return { exact, folded, foldedChars, numbers };
}

/** Whether the secret that equals this text belongs to the row; null if there is no such secret. */
export function findWholeValue(
  { exact, folded, foldedChars }: WholeValues,
  text: string,
): boolean | null {
  if (text === "") return null;
  const known = exact.get(text);
  if (known !== undefined || !foldedChars.has(text.length)) return known ?? null;
  return folded.get(foldCase(text)) ?? null;
}
