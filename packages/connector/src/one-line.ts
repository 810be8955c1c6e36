/**
 * A description for a list: its first paragraph on one line, white space collapsed.
 *
 * @example oneLine("Lists issues.\n  Newest first.\n\nLonger advice …") // "Lists issues. Newest first."
 */
export function oneLine(description: string): string {
  const [paragraph = ""] = description.trim().split(/\n[ \t\r]*\n/, 1);
  return paragraph.replace(/\s+/g, " ").trim();
}
