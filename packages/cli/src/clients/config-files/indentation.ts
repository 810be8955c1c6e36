/** The white space at the start of the line that has this offset. */
export function readLineIndent(text: string, offset: number): string {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? "";
}

/** One step of indentation: a tab or some spaces, from the first indented line. */
export function readIndentUnit(text: string): string {
  const found = /\n([ \t]+)["\]}]/.exec(text)?.[1];
  if (found === undefined) return "  ";
  // JSON.stringify takes at most ten characters.
  return found.startsWith("\t") ? "\t" : found.slice(0, 10);
}

/** Whether only white space precedes the offset in its line. */
export function isFirstOfLine(text: string, offset: number): boolean {
  return text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset).trim() === "";
}
