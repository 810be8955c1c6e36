/**
 * A text for comparing without regard to case (Unicode simple folding). Every UTF-16 unit keeps its
 * index: a character whose folded form has another length (İ, ß) stays as it is, and none is
 * folded by its neighbours (final sigma).
 */
export function foldCase(text: string): string {
  return text.replace(/[A-Z]+|[^\0-\x7f]/gu, (part) =>
    part.charCodeAt(0) < 0x80 ? part.toLowerCase() : foldCharacter(part),
  );
}

/** The folded character at an index, which is the beginning of one. */
export function foldAt(text: string, index: number): string {
  return foldCharacter(String.fromCodePoint(text.codePointAt(index) ?? 0));
}

function foldCharacter(character: string): string {
  // By way of the capital, since several small letters (ς σ, ſ s, µ μ) may share one.
  const capital = character.toUpperCase();
  const folded = (capital.length === character.length ? capital : character).toLowerCase();
  return folded.length === character.length ? folded : character;
}
