/**
 * The first paragraph of a description as one line with single spaces, for lists.
 *
 * @example oneLine("Lists issues.\n  Newest first.\n\nLonger advice …") // "Lists issues. Newest first."
 */
export function oneLine(description: string): string {
  const [paragraph = ""] = description.trim().split(/\n[ \t\r]*\n/, 1);
  return paragraph.replace(/\s+/g, " ").trim();
}
