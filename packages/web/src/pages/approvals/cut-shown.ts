/** The beginning of a text in at most so many characters and lines. */
export function cutShown(text: string, charsMax: number, linesMax: number): string {
  let lines = 1;
  let end = 0;
  for (; end < text.length && end < charsMax; end += 1) {
    if (text[end] === "\n") lines += 1;
    if (lines > linesMax) break;
  }
  const isWhole = end === text.length;
  // Not between the halves of a surrogate pair.
  const before = text.charCodeAt(end - 1);
  if (!isWhole && before >= 0xd800 && before <= 0xdbff) end -= 1;
  return text.slice(0, end);
}
