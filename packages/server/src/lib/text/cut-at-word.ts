/** Cuts a line at the end of a word if one is near, never inside a character. */
export function cutAtWord(line: string, charsMax: number): string {
  if (line.length <= charsMax) return line;
  const start = line.slice(0, charsMax - 1).replace(/[\ud800-\udbff]$/, "");
  const word = start.lastIndexOf(" ");
  return `${word > charsMax / 2 ? start.slice(0, word) : start}…`;
}
