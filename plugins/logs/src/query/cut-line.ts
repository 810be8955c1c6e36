/** Longer lines are cut: one of megabytes would push all others off the page. */
const lineCharsMax = 8192;

/** A line as it is, or its beginning with a mark that says how much is left out. */
export function cutLine(line: string): string {
  if (line.length <= lineCharsMax) return line;
  const isInCharacter = /[\uD800-\uDBFF]/.test(line.charAt(lineCharsMax - 1));
  const end = isInCharacter ? lineCharsMax - 1 : lineCharsMax;
  return `${line.slice(0, end)} [cut: ${line.length - end} more characters]`;
}
