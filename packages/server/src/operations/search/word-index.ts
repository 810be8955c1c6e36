import { isStopWord } from "./search-words.ts";
import { areLettersSimilar, isSimilar, toLetters } from "./similar-words.ts";
import { listSynonyms } from "./synonyms.ts";
import { toStem } from "./word-forms.ts";

/** One field of a document: its words, and how much a match in it counts. */
export type WordField = {
  words: readonly string[];
  weight: number;
  /** The usual number of words in this field. In a longer field, a match counts less. */
  usualLength: number;
  /** Set if the field is the document's name: how many words a query must say to say it whole. */
  nameLength?: number;
};

/** The documents with a term, and the weight of the term in each. */
type Postings = {
  /** Twice the id, and one more if the term is in the document's name. */
  ids: number[];
  weights: number[];
};

/**
 * An inverted index with BM25F scores. Documents have small numbers as ids, so that a search can
 * add up scores in arrays.
 */
export type WordIndex = {
  add(fields: readonly WordField[]): number;
  /** Counts removed documents. Their ids are not used again, and the caller ignores them. */
  remove(count: number): void;
  /** One more than the highest id. */
  size(): number;
  /** Removed documents as a share of all. */
  waste(): number;
  /** How many words the document's name has; 0 without a name. */
  nameLength(id: number): number;
  /** Adds the scores of a query's word, its other forms and longer words to `found`, as bit `bit`. */
  search(word: string, bit: number, found: Found): void;
  /** The same for words that differ by a typing error. */
  searchSimilar(word: string, bit: number, found: Found): void;
  /** The first term that a visible document has, among those with the longest common beginning. */
  findRelated(word: string, visible: VisibleDocuments): string | null;
};

/** The documents that the caller sees, by id. Scores are those of an index without the others. */
export type VisibleDocuments = {
  flags: Uint8Array;
  /** How many documents each one counts for; 0 if it is hidden. */
  sizes: Uint32Array;
  /** The sum of all sizes. */
  count: number;
};

/** Scores by document id, and bits for the words of the query that each document matches. */
export type Found = {
  visible: VisibleDocuments;
  scores: Float64Array;
  /** Matched in any way. */
  masks: Uint32Array;
  /** Matched by the word itself or another form of it. */
  wordMasks: Uint32Array;
  /** Matched in the name, in any way. */
  nameMasks: Uint32Array;
};

export function createFound(visible: VisibleDocuments): Found {
  const size = visible.flags.length;
  return {
    visible,
    scores: new Float64Array(size),
    masks: new Uint32Array(size),
    wordMasks: new Uint32Array(size),
    nameMasks: new Uint32Array(size),
  };
}

/** The parameters of BM25. */
const saturation = 1.2;
/** How much less a match counts in a field that is longer than usual, from 0 to 1. */
const lengthShareDefault = 0.5;

/** How much a match counts of another form of the word, of a synonym, of a longer term, and of a similar one. */
const formFactor = 0.5;
const synonymFactor = 0.4;
const prefixFactor = 0.4;
const similarFactor = 0.45;
/** Half of all words begin with "a" or "on". */
const prefixCharsMin = 3;

export function createWordIndex({ lengthShare = lengthShareDefault } = {}): WordIndex {
  const terms = new Map<string, Postings>();
  const nameLengths: number[] = [];
  /** The terms by stem. */
  const forms = new Map<string, string[]>();
  /** All terms in order, for prefixes. Null after a change. */
  let sorted: string[] | null = null;
  /** The letters of all terms in order. Null after a change. */
  let letters: Uint32Array | null = null;
  let size = 0;
  let removed = 0;

  const listSorted = (): string[] => {
    sorted ??= [...terms.keys()].sort();
    return sorted;
  };

  const addScores = (term: string, factor: number, bit: number, found: Found, isWord: boolean) => {
    const postings = terms.get(term);
    if (postings === undefined) return;
    const { ids, weights } = postings;
    const { flags, sizes, count } = found.visible;
    let matches = 0;
    for (let at = 0; at < ids.length; at += 1) matches += sizes[(ids[at] ?? 0) >>> 1] ?? 0;
    if (matches === 0) return;
    const idf = Math.log(1 + (count + 0.5) / (matches + 0.5));
    const flag = 2 ** bit;
    for (let at = 0; at < ids.length; at += 1) {
      const posting = ids[at] ?? 0;
      const id = posting >>> 1;
      if (flags[id] === 0) continue;
      if ((posting & 1) === 1) found.nameMasks[id] = (found.nameMasks[id] ?? 0) | flag;
      const mask = found.masks[id] ?? 0;
      // A better variant of the same word counts already.
      if ((mask & flag) !== 0) continue;
      found.masks[id] = mask | flag;
      if (isWord) found.wordMasks[id] = (found.wordMasks[id] ?? 0) | flag;
      found.scores[id] = (found.scores[id] ?? 0) + factor * idf * (weights[at] ?? 0);
    }
  };

  return {
    add(fields) {
      const id = size;
      size += 1;
      const weights = new Map<string, number>();
      const nameWords = new Set<string>();
      nameLengths[id] = 0;
      for (const { words, weight, usualLength, nameLength } of fields) {
        const norm = 1 - lengthShare + (lengthShare * words.length) / usualLength;
        for (const word of words) {
          if (!isStopWord(word)) weights.set(word, (weights.get(word) ?? 0) + weight / norm);
        }
        if (nameLength === undefined) continue;
        nameLengths[id] = nameLength;
        for (const word of words) nameWords.add(word);
      }
      for (const [word, weight] of weights) {
        let postings = terms.get(word);
        if (postings === undefined) {
          postings = { ids: [], weights: [] };
          terms.set(word, postings);
          const stem = toStem(word);
          const known = forms.get(stem);
          if (known === undefined) forms.set(stem, [word]);
          else known.push(word);
          sorted = null;
          letters = null;
        }
        postings.ids.push(2 * id + (nameWords.has(word) ? 1 : 0));
        postings.weights.push((weight * (saturation + 1)) / (weight + saturation));
      }
      return id;
    },
    remove(count) {
      removed += count;
    },
    size: () => size,
    waste: () => (size === 0 ? 0 : removed / size),
    nameLength: (id) => nameLengths[id] ?? 0,
    search(word, bit, found) {
      addScores(word, 1, bit, found, true);
      const stem = toStem(word);
      for (const form of forms.get(stem) ?? []) {
        if (form !== word) addScores(form, formFactor, bit, found, true);
      }
      for (const synonym of listSynonyms(stem)) {
        for (const term of forms.get(synonym) ?? []) {
          addScores(term, synonymFactor, bit, found, false);
        }
      }
      if (word.length < prefixCharsMin) return;
      const list = listSorted();
      for (let at = findFirst(list, word); at < list.length; at += 1) {
        const term = list[at] ?? "";
        if (!term.startsWith(word)) break;
        const factor = (prefixFactor * word.length) / term.length;
        if (term !== word) addScores(term, factor, bit, found, false);
      }
    },
    searchSimilar(word, bit, found) {
      const editsMax = word.length < 4 ? 0 : word.length < 8 ? 1 : 2;
      if (editsMax === 0) return;
      const list = listSorted();
      letters ??= Uint32Array.from(list, toLetters);
      const ofWord = toLetters(word);
      for (let at = 0; at < list.length; at += 1) {
        if (!areLettersSimilar(ofWord, letters[at] ?? 0, editsMax)) continue;
        const term = list[at] ?? "";
        if (isSimilar(word, term, editsMax)) addScores(term, similarFactor, bit, found, false);
      }
    },
    findRelated(word, { flags }) {
      const list = listSorted();
      for (let chars = word.length; chars >= prefixCharsMin; chars -= 1) {
        const start = word.slice(0, chars);
        for (let at = findFirst(list, start); list[at]?.startsWith(start); at += 1) {
          const term = list[at] ?? "";
          if (terms.get(term)?.ids.some((posting) => flags[posting >>> 1] === 1)) return term;
        }
      }
      return null;
    },
  };
}

/** The index of the first term that is not before the word. */
function findFirst(sorted: readonly string[], word: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? "") < word) low = middle + 1;
    else high = middle;
  }
  return low;
}
