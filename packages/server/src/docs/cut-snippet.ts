const charsMax = 200;
/** So much of the text before the word is shown. */
const charsBefore = 60;
/** What begins an item of a list in Markdown. */
const listMark = /^(?:[-*]|\d{1,9}\.) /;

/**
 * The part of a text around the first line with most of the words, at most 200 characters. Words are those of a
 * query: lower-case letters and digits. Empty for an empty text.
 */
export function cutSnippet(text: string, words: readonly string[]): string {
  const wanted = new Set(words);
  let best = "";
  let most = -1;
  for (const line of text.split("\n")) {
    const has = new Set(line.toLowerCase().split(/[^\p{L}\p{N}]+/u));
    const count = [...wanted].filter((word) => has.has(word)).length;
    if (line.trim() === "" || count <= most) continue;
    best = line.trim().replace(listMark, "");
    most = count;
  }
  return cut(best, wanted);
}

function cut(line: string, wanted: ReadonlySet<string>): string {
  if (line.length <= charsMax) return line;
  let at = 0;
  for (const match of line.matchAll(/[\p{L}\p{N}]+/gu)) {
    if (!wanted.has(match[0].toLowerCase())) continue;
    at = match.index;
    break;
  }
  const start = at <= charsBefore ? 0 : line.indexOf(" ", at - charsBefore) + 1;
  const part = line.slice(start, start + charsMax - 2);
  const isWhole = start + part.length >= line.length;
  const shown = isWhole ? part : part.replace(/ [^ ]*$/, "");
  return `${start === 0 ? "" : "…"}${shown}${isWhole ? "" : "…"}`;
}
