/**
 * What shows nothing, shows as a blank, or changes how other characters show: controls but tabs and line ends, marks of
 * direction, zero-width characters, tags, and halves of surrogate pairs. Two variation selectors of emoji only colour them.
 */
const invisible =
  /(?!\t|\n|\uFE0E|\uFE0F)[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\u2028\u2029\u2800\uFFF9-\uFFFB]/gu;

/** An emoji has one at most. */
const hiddenVariations = /(?<!\p{Emoji})(?:\uFE0E|\uFE0F)/gu;

/** A text with escapes in place of invisible characters, such as `\u202e`, so that a script reads as it runs. */
export function showInvisible(text: string): string {
  return text.replace(invisible, toEscapes).replace(hiddenVariations, toEscapes);
}

function toEscapes(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
