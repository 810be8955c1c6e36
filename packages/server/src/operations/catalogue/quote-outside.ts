/**
 * Quotes the text of an outside system, so that a model reads it as data. Quotation marks in it cannot end
 * the quotation.
 */
export function quoteOutside(text: string): string {
  return `“${text.replace(/[“”]/g, '"')}”`;
}
