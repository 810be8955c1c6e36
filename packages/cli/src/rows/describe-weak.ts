/** The warning after a change of a row, with secrets that can be guessed. */
export function describeWeak({ weak = [] }: { weak?: string[] | undefined }): string | null {
  if (weak.length === 0) return null;
  return `warning: ${weak.join(", ")} can be guessed by users of the row. What they send to the row is not recorded, and is limited (HUB_BUDGET_GUESSES). Set a longer random secret, if the outside system lets you: see "Secrets that can be guessed" in the reference of tokens.`;
}
