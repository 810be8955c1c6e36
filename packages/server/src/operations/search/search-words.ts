/**
 * Words that stand in nearly every description or request. A query in sentences would match every
 * operation by them. "get" is none, because it names operations. The letters are ends of words such as "I'm".
 */
const stopWords = new Set(
  (
    "a about all an and any are as at be been by can could d do does for from has have how i if in into is it its " +
    "just let like ll m me my need new no not now of off on or our out over please re s should show so some t tell " +
    "than that the their them then there these they this those to up us use ve want was we were what when where " +
    "which who will with would you your"
  ).split(" "),
);

/** Words of requests that say nothing about the task beside other words, but may name an operation alone. */
const fillerWords = new Set(["help", "interested", "looking", "trying"]);

/** Splits a text into lower-case words of letters and digits: "list_issues" has two. */
export function toWords(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}

/** The words of a name, with the parts of names such as "createIssue". */
export function toNameWords(name: string): string[] {
  const parts = splitCase(name);
  return parts === name ? toWords(name) : [...toWords(name), ...toWords(parts)];
}

/** The words that say a name: parts of "createIssue", and no stop words unless it has no others. */
export function toNameParts(name: string): string[] {
  const words = toWords(splitCase(name));
  const telling = words.filter((word) => !isStopWord(word));
  return telling.length === 0 ? words : telling;
}

function splitCase(name: string): string {
  return name.replace(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/gu, " ");
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
  const telling = words.filter((word) => !fillerWords.has(word));
  return [...new Set(telling.length === 0 ? words : telling)].slice(0, queryWordsMax);
}

export function isStopWord(word: string): boolean {
  return stopWords.has(word);
}
