import { stripInvisible } from "./strip-invisible.ts";

/** A text from outside as one line of at most `charsMax` characters, without invisible ones. */
export function cutLine(text: string, charsMax: number): string {
  const line = stripInvisible(text.slice(0, 4 * charsMax))
    .replace(/\s+/g, " ")
    .trim();
  return line.length <= charsMax ? line : `${line.slice(0, charsMax - 1).toWellFormed()}…`;
}
