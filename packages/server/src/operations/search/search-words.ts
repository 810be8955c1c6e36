/**
 * Words that stand in nearly every description or request. A query in sentences would match every
 * operation by them.
 */
const stopWords = new Set(
  (
    "a about all an and any are as at be been by can could do does for from get has have how i if in into is it its " +
    "just let like me my need new no not now of off on or our out over please should show so some tell than that the " +
    "their them then there these they this those to up us use want was we were what when where which who will with " +
    "would you your"
  ).split(" "),
);

/** Splits a text into lower-case words of letters and digits: "list_issues" has two. */
export function toWords(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}

/** The words of a name, with the parts of names such as "createIssue". */
export function toNameWords(name: string): string[] {
  const parts = name.replace(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/gu, " ");
  return parts === name ? toWords(name) : [...toWords(name), ...toWords(parts)];
}

/** At most this many different words of a query are searched: a match of each is one bit. */
export const queryWordsMax = 32;

/** No operation is described by longer words. */
const wordCharsMax = 64;

/** The words of a query, each once. If all of them are stop words, there are none. */
export function toQueryWords(query: string): string[] {
  const words = toWords(query).filter(
    (word) => !stopWords.has(word) && word.length <= wordCharsMax,
  );
  return [...new Set(words)].slice(0, queryWordsMax);
}

export function isStopWord(word: string): boolean {
  return stopWords.has(word);
}
