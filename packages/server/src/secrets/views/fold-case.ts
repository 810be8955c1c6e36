/**
 * Folds a text for comparison without case (Unicode simple folding). Each UTF-16 unit keeps its
 * index: a character whose folded form has another length (İ, ß) does not change, and the
 * neighbours of a character do not matter (final sigma).
 */
export function foldCase(text: string): string {
  return text.replace(/[A-Z]+|[^\0-\x7f]/gu, (part) =>
    part.charCodeAt(0) < 0x80 ? part.toLowerCase() : foldCharacter(part),
  );
}

/** Folds the character that starts at an index. */
export function foldAt(text: string, index: number): string {
  return foldCharacter(String.fromCodePoint(text.codePointAt(index) ?? 0));
}

function foldCharacter(character: string): string {
  // The capital comes first, because several small letters (ς σ, ſ s, µ μ) can share one.
  const capital = character.toUpperCase();
  const folded = (capital.length === character.length ? capital : character).toLowerCase();
  return folded.length === character.length ? folded : character;
}
