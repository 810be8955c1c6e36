import { foldCase } from "./fold-case.ts";
import { partCharsMin } from "./needle-forms.ts";
import type { MaskedSecret } from "./needles.ts";

/** Secrets as whole values: strings of any length, and numbers by their digits. True is the row's. */
export type Wholes = {
  exact: ReadonlyMap<string, boolean>;
  folded: ReadonlyMap<string, boolean>;
  /** The lengths of those in `folded`: any other text need not be folded. */
  foldedChars: ReadonlySet<number>;
  /** Long numbers as a `number` holds them: a connector may have parsed them so. */
  numbers: ReadonlyMap<string, boolean>;
};

export function toWholes(secrets: readonly MaskedSecret[]): Wholes {
  const exact = new Map<string, boolean>();
  const folded = new Map<string, boolean>();
  const numbers = new Map<string, boolean>();
  const note = (wholes: Map<string, boolean>, text: string, ofRow: boolean) => {
    wholes.set(text, ofRow || wholes.get(text) === true);
  };
  for (const { text, ignoreCase, ofRow } of secrets) {
    for (const whole of new Set([text, text.trim()])) {
      if (ignoreCase) note(folded, foldCase(whole), ofRow);
      else note(exact, whole, ofRow);
      if (ignoreCase || !/^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(whole)) continue;
      const digits = String(Number(whole));
      // A secret such as 0001 must not make a token of every 1.
      if (digits.length < partCharsMin || digits === "Infinity") continue;
      note(numbers, digits, ofRow);
    }
  }
  const foldedChars = new Set([...folded.keys()].map((text) => text.length));
  return { exact, folded, foldedChars, numbers };
}

/** Whether the secret that the text is, as a whole, is the row's; null when it is none. */
export function findWhole({ exact, folded, foldedChars }: Wholes, text: string): boolean | null {
  if (text === "") return null;
  const known = exact.get(text);
  if (known !== undefined || !foldedChars.has(text.length)) return known ?? null;
  return folded.get(foldCase(text)) ?? null;
}
