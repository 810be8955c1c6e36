import {
  blankLetters,
  hiddenVariations,
  invisible,
  stackedMarks,
} from "@hub/contract/invisible-characters.ts";

/**
 * Line ends, tabs, and characters that show as a blank without being spaces: they become a space, because
 * without it the words beside them would join.
 */
const blanks = /\r\n|[\t\n\v\f\r\u0085\u2028\u2029\u115F\u1160\u2800\u3164\uFFA0]/g;
const lineEnds = /\r\n|[\v\f\r\u0085\u2028\u2029]/g;

/**
 * A text from outside without the characters by which it hides or reorders what readers see. The result is
 * one line. With `keepsLines` it keeps tabs and line ends, and each line end is `\n`. Emoji that are joined
 * by a zero-width character show side by side. Linear in the length of the text; cut long texts before.
 */
export function stripInvisible(text: string, { keepsLines = false } = {}): string {
  const lines = keepsLines
    ? text.replace(lineEnds, "\n").replace(blankLetters, " ")
    : text.replace(blanks, " ");
  return lines.replace(invisible, "").replace(hiddenVariations, "").replace(stackedMarks, "");
}
