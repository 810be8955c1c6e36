/**
 * Line ends, tabs, and characters that show as a blank without being spaces: they become a space, because
 * without it the words beside them would join.
 */
const blanks = /\r\n|[\t\n\v\f\r\u0085\u2028\u2029\u115F\u1160\u2800\u3164\uFFA0]/g;
const lineEnds = /\r\n|[\v\f\r\u0085\u2028\u2029]/g;
const blankLetters = /[\u115F\u1160\u2800\u3164\uFFA0]/g;

/**
 * Characters that show nothing, or change how others show: controls, marks of direction, zero-width
 * characters, tags (U+E0000), annotations, and halves of surrogate pairs. Default_Ignorable_Code_Point has
 * the variation selectors too. Two of them say whether an emoji has colours; those are looked at apart.
 */
const invisible =
  /(?!\t|\n|\uFE0E|\uFE0F)[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\uFFF9-\uFFFB]/gu;

/** An emoji has one at most. More of them, or those after other characters, can carry a hidden text. */
const hiddenVariations = /(?<!\p{Emoji})[\uFE0E\uFE0F]/gu;

/**
 * A text from outside without the characters by which it hides or reorders what readers see. The result is
 * one line. With `keepsLines` it keeps tabs and line ends, and each line end is `\n`. Emoji that are joined
 * by a zero-width character show side by side. Linear in the length of the text; cut long texts before.
 */
export function stripInvisible(text: string, { keepsLines = false } = {}): string {
  const lines = keepsLines
    ? text.replace(lineEnds, "\n").replace(blankLetters, " ")
    : text.replace(blanks, " ");
  return lines.replace(invisible, "").replace(hiddenVariations, "");
}

const otherLineEnds = /[\u0085\u2028\u2029]/g;

/** A JSON text with escapes in place of invisible characters. It has the same value. */
export function escapeInvisible(json: string): string {
  let escaped = json;
  for (const pattern of [otherLineEnds, blankLetters, invisible, hiddenVariations]) {
    escaped = escaped.replace(pattern, toEscapes);
  }
  return escaped;
}

function toEscapes(text: string): string {
  const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
