/**
 * What all forms of a word begin with: "issue", "issues" have one stem, and so have "create", "creating",
 * "created". Unrelated words may have one too, so a match by it counts less than one of the word itself.
 */
export function toStem(word: string): string {
  const plain = cutEnding(word);
  const last = plain.at(-1);
  if (last === "y") return `${plain.slice(0, -1)}i`;
  if (last === "e" && plain.length > stemCharsMin) return plain.slice(0, -1);
  // "run" and "running".
  return plain.length > stemCharsMin && last === plain.at(-2) ? plain.slice(0, -1) : plain;
}

const stemCharsMin = 3;
/** "thing" and "string" end with no ending: nothing before it could be said. */
const sayable = /[aeiouy]/;

function cutEnding(word: string): string {
  for (const ending of ["ing", "ed", "es", "s"]) {
    if (!word.endsWith(ending)) continue;
    // "address" and "status" are no plurals.
    if (ending === "s" && /[sui]s$/.test(word)) return word;
    const stem = word.slice(0, -ending.length);
    return stem.length >= stemCharsMin && sayable.test(stem) ? stem : word;
  }
  return word;
}
