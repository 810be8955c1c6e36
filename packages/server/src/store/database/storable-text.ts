/** A text as PostgreSQL stores it: it knows neither U+0000 nor halves of surrogate pairs. */
export function toStorableText(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\u2400");
}
