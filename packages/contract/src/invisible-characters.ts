/** Letters and a symbol that show as a blank without being spaces. */
export const blankLetters = /[\u115F\u1160\u2800\u3164\uFFA0]/g;

/**
 * Characters that show nothing, or change how others show: controls but tabs and line feeds, marks of
 * direction, zero-width characters, tags (U+E0000), annotations, and halves of surrogate pairs.
 * Default_Ignorable_Code_Point has the variation selectors too. Two of them say whether an emoji has colours;
 * those are looked at apart.
 */
export const invisible =
  /(?!\t|\n|\uFE0E|\uFE0F)[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\uFFF9-\uFFFB]/gu;

/** An emoji has one at most. More of them, or those after other characters, can carry a hidden text. */
export const hiddenVariations = /(?<!\p{Emoji})[\uFE0E\uFE0F]/gu;

/**
 * Marks on a letter after the first eight, more than any writing system has. They cover what stands beside them, and
 * push the end of their line out of the window. What is searched has no other invisible characters.
 */
export const stackedMarks = /(?<=\p{M}{8})\p{M}/gu;

const lineEnds = /[\u2028\u2029]/g;

/**
 * A text with escapes in place of invisible characters and stacked marks, such as `\u202e`, so that a script reads as it runs.
 * Tabs and line feeds stay. A JSON text keeps its value.
 */
export function escapeInvisible(text: string): string {
  let escaped = text;
  for (const pattern of [lineEnds, blankLetters, invisible, hiddenVariations, stackedMarks]) {
    escaped = escaped.replace(pattern, toEscapes);
  }
  return escaped;
}

function toEscapes(text: string): string {
  const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
