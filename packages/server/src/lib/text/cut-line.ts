import { cutAtWord } from "./cut-at-word.ts";
import { stripInvisible } from "./strip-invisible.ts";

/** A text from outside as one line of at most `charsMax` characters, cut after a word, without invisible characters. */
export function cutLine(text: string, charsMax: number): string {
  const line = stripInvisible(text.slice(0, 4 * charsMax))
    .replace(/\s+/g, " ")
    .trim();
  return line.length <= charsMax ? line : cutAtWord(line, charsMax).toWellFormed();
}
