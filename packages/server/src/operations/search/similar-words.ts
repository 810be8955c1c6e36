/** Bits for the letters of a word. Some letters share a bit. */
export function toLetters(word: string): number {
  let letters = 0;
  for (let at = 0; at < word.length; at += 1) letters |= 1 << (word.charCodeAt(at) & 31);
  return letters;
}

/** Whether words with these letters may be similar: each edit adds a letter, removes one, or does both. */
export function areLettersSimilar(first: number, second: number, editsMax: number): boolean {
  let different = first ^ second;
  for (let left = 2 * editsMax; different !== 0; left -= 1) {
    if (left === 0) return false;
    different &= different - 1;
  }
  return true;
}

/**
 * Whether two words differ by at most so many inserted, dropped, replaced or swapped letters. Most
 * pairs are told apart by their length and their first letters.
 */
export function isSimilar(first: string, second: string, editsMax: number): boolean {
  if (Math.abs(first.length - second.length) > editsMax) return false;
  if (first[0] !== second[0] && first[1] !== second[1]) return false;
  let before: number[] = [];
  let previous = Array.from({ length: second.length + 1 }, (_, at) => at);
  for (let row = 1; row <= first.length; row += 1) {
    const current = [row];
    let least = row;
    for (let column = 1; column <= second.length; column += 1) {
      const isEqual = first[row - 1] === second[column - 1];
      let edits = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (isEqual ? 0 : 1),
      );
      const isSwapped =
        row > 1 &&
        column > 1 &&
        first[row - 1] === second[column - 2] &&
        first[row - 2] === second[column - 1];
      if (isSwapped) edits = Math.min(edits, (before[column - 2] ?? 0) + 1);
      current.push(edits);
      least = Math.min(least, edits);
    }
    if (least > editsMax) return false;
    before = previous;
    previous = current;
  }
  return (previous[second.length] ?? 0) <= editsMax;
}
