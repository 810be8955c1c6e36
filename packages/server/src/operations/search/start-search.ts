import type { DocumentIndex } from "./document-index.ts";
import { toWords } from "./search-words.ts";
import { createFound, type Found, type VisibleDocuments } from "./word-index.ts";

/** For each document: 1 if its text contains the query, and what its words are worth. */
export type StartedSearch = { contains: Uint8Array; found: Found };

/** A query, its words, and bits for the words that every text with the query has. */
export type QueryText = { text: string; words: readonly string[]; inner: number };

/** Searches one kind of document for the words and for the text of a query. */
export function startSearch(
  index: DocumentIndex,
  visible: VisibleDocuments,
  { text, words, inner }: QueryText,
): StartedSearch {
  const found = createFound(visible);
  for (const [bit, word] of words.entries()) index.words.search(word, bit, found);
  // Most sentences are in no text, and reading all texts takes a third of a search.
  const mayContain = inner === 0 || hasMask(found.wordMasks, inner);
  return {
    contains: mayContain ? index.texts.scan(text) : new Uint8Array(found.wordMasks.length),
    found,
  };
}

function hasMask(masks: Uint32Array, wanted: number): boolean {
  for (let at = 0; at < masks.length; at += 1) {
    if (((masks[at] ?? 0) & wanted) === wanted) return true;
  }
  return false;
}

/** Bits for the words that are whole words of every text with the query: all but its first and its last. */
export function findInner(text: string, words: readonly string[]): number {
  const inner = new Set(toWords(text).slice(1, -1));
  return words.reduce((mask, word, bit) => (inner.has(word) ? mask | (1 << bit) : mask), 0);
}
