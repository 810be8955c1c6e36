/** A part of a sentence. `isCode` is true for a text of the workflow, which is data. */
export type SentencePart = { text: string; isCode: boolean };

/** Control characters, line ends, and marks that change the direction of what follows them. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]+/gu;

/**
 * Puts a text into a code span of Markdown, on one line and cut to `charsMax` characters, so that nothing
 * in it is read as Markdown or HTML.
 */
export function toCodeSpan(text: string, charsMax = 200): string {
  // Cut first, because a text can be long.
  const start = text.length <= charsMax ? text : `${text.slice(0, charsMax - 1)}…`;
  const cut = start.toWellFormed().replace(unprintable, " ");
  let longest = 0;
  for (const [run] of cut.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const fence = "`".repeat(longest + 1);
  // Markdown removes one space from both ends; a span cannot be empty, or begin with its fence.
  const isPadded = cut.trim() === "" || /^[` ]|[` ]$/.test(cut);
  return isPadded ? `${fence} ${cut} ${fence}` : `${fence}${cut}${fence}`;
}

/**
 * The parts of a sentence whose data is in code spans.
 *
 * @example splitCodeSpans("It calls `a`.") // [{ text: "It calls ", isCode: false }, { text: "a", isCode: true }, …]
 */
export function splitCodeSpans(sentence: string): SentencePart[] {
  const parts: SentencePart[] = [];
  let at = 0;
  while (at < sentence.length) {
    const start = sentence.indexOf("`", at);
    if (start === -1) break;
    let fence = start;
    while (sentence[fence] === "`") fence += 1;
    const end = findFence(sentence, fence, fence - start);
    if (end === -1) break;
    if (start > at) parts.push({ text: sentence.slice(at, start), isCode: false });
    const inner = sentence.slice(fence, end);
    const isPadded = inner.startsWith(" ") && inner.endsWith(" ") && inner.length >= 2;
    parts.push({ text: isPadded ? inner.slice(1, -1) : inner, isCode: true });
    at = end + (fence - start);
  }
  if (at < sentence.length) parts.push({ text: sentence.slice(at), isCode: false });
  return parts;
}

/** Where the next run of exactly `length` backticks begins; -1 if there is none. */
function findFence(text: string, from: number, length: number): number {
  for (let at = text.indexOf("`", from); at !== -1; ) {
    let end = at;
    while (text[end] === "`") end += 1;
    if (end - at === length) return at;
    at = text.indexOf("`", end);
  }
  return -1;
}
