import { stripInvisible } from "./strip-invisible.ts";

/** A text from outside as one line of at most `charsMax` characters, without invisible ones. */
export function cutLine(text: string, charsMax: number): string {
  const line = stripInvisible(text.slice(0, 4 * charsMax))
    .replace(/\s+/g, " ")
    .trim();
  if (line.length <= charsMax) return line;
  // A cut inside a character leaves its first half.
  const start = line.slice(0, charsMax - 1).replace(/[\ud800-\udbff]$/, "");
  return `${start.toWellFormed()}…`;
}
