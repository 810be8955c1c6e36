import { isStopWord } from "./search-words.ts";

/** One field of a document: its words, and how much a match in it counts. */
export type WordField = {
  words: readonly string[];
  weight: number;
  /** The usual number of words in this field. In a longer field, a match counts less. */
  usualLength: number;
};

/** The documents with a term, and the weight of the term in each. */
type Postings = { ids: number[]; weights: number[] };

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
  /** Adds the scores of a query's word to `found`, as bit `bit`. */
  search(word: string, bit: number, found: Found): void;
  /** The same for words that differ by a typing error. */
  searchSimilar(word: string, bit: number, found: Found): void;
  /** The first term that a visible document has, among those with the longest common beginning. */
  findRelated(word: string, visible: VisibleDocuments): string | null;
};

/** The documents that the caller sees, by id. Scores are those of an index without the others. */
export type VisibleDocuments = { flags: Uint8Array; count: number };

/** Scores by document id, and which words of the query each document matches. */
export type Found = { visible: VisibleDocuments; scores: Float64Array; masks: Uint32Array };

export function createFound(visible: VisibleDocuments): Found {
  const size = visible.flags.length;
  return { visible, scores: new Float64Array(size), masks: new Uint32Array(size) };
}

/** The usual parameters of BM25. */
const saturation = 1.2;
const lengthShare = 0.7;

/** How much a match of a longer term counts, and of a similar one. */
const prefixFactor = 0.4;
const similarFactor = 0.45;
/** Half of all words begin with "a" or "on". */
const prefixCharsMin = 3;

export function createWordIndex(): WordIndex {
  const terms = new Map<string, Postings>();
  /** All terms in order, for prefixes. Null after a change. */
  let sorted: string[] | null = null;
  let size = 0;
  let removed = 0;

  const listSorted = (): string[] => {
    sorted ??= [...terms.keys()].sort();
    return sorted;
  };

  const addScores = (term: string, factor: number, bit: number, found: Found): void => {
    const postings = terms.get(term);
    if (postings === undefined) return;
    const { ids, weights } = postings;
    const { flags, count } = found.visible;
    let matches = 0;
    for (let at = 0; at < ids.length; at += 1) matches += flags[ids[at] ?? 0] ?? 0;
    if (matches === 0) return;
    const idf = Math.log(1 + (count + 0.5) / (matches + 0.5));
    const flag = 2 ** bit;
    for (let at = 0; at < ids.length; at += 1) {
      const id = ids[at] ?? 0;
      if (flags[id] === 0) continue;
      const mask = found.masks[id] ?? 0;
      // A better variant of the same word counts already.
      if ((mask & flag) !== 0) continue;
      found.masks[id] = mask | flag;
      found.scores[id] = (found.scores[id] ?? 0) + factor * idf * (weights[at] ?? 0);
    }
  };

  return {
    add(fields) {
      const id = size;
      size += 1;
      const weights = new Map<string, number>();
      for (const { words, weight, usualLength } of fields) {
        const norm = 1 - lengthShare + (lengthShare * words.length) / usualLength;
        for (const word of words) {
          if (!isStopWord(word)) weights.set(word, (weights.get(word) ?? 0) + weight / norm);
        }
      }
      for (const [word, weight] of weights) {
        let postings = terms.get(word);
        if (postings === undefined) {
          postings = { ids: [], weights: [] };
          terms.set(word, postings);
          sorted = null;
        }
        postings.ids.push(id);
        postings.weights.push((weight * (saturation + 1)) / (weight + saturation));
      }
      return id;
    },
    remove(count) {
      removed += count;
    },
    size: () => size,
    waste: () => (size === 0 ? 0 : removed / size),
    search(word, bit, found) {
      addScores(word, 1, bit, found);
      if (word.length < prefixCharsMin) return;
      const list = listSorted();
      for (let at = findFirst(list, word); at < list.length; at += 1) {
        const term = list[at] ?? "";
        if (!term.startsWith(word)) break;
        if (term !== word) addScores(term, (prefixFactor * word.length) / term.length, bit, found);
      }
    },
    searchSimilar(word, bit, found) {
      const editsMax = word.length < 4 ? 0 : word.length < 8 ? 1 : 2;
      if (editsMax === 0) return;
      for (const term of listSorted()) {
        if (isSimilar(word, term, editsMax)) addScores(term, similarFactor, bit, found);
      }
    },
    findRelated(word, { flags }) {
      const list = listSorted();
      for (let chars = word.length - 1; chars >= prefixCharsMin; chars -= 1) {
        const start = word.slice(0, chars);
        for (let at = findFirst(list, start); list[at]?.startsWith(start); at += 1) {
          const term = list[at] ?? "";
          if (terms.get(term)?.ids.some((id) => flags[id] === 1)) return term;
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

/**
 * Whether two words differ by at most so many inserted, dropped, replaced or swapped letters. Most
 * pairs are told apart by their length and their first letters.
 */
function isSimilar(first: string, second: string, editsMax: number): boolean {
  if (Math.abs(first.length - second.length) > editsMax) return false;
  if (first[0] !== second[0] && first[1] !== second[1]) return false;
  let before: number[] = [];
  let previous = Array.from({ length: second.length + 1 }, (_, at) => at);
  for (let row = 1; row <= first.length; row += 1) {
    const current = [row];
    let least = row;
    for (let column = 1; column <= second.length; column += 1) {
      const isEqual = first[row - 1] === second[column - 1];
      let edits = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (isEqual ? 0 : 1),
      );
      const isSwapped =
        row > 1 &&
        column > 1 &&
        first[row - 1] === second[column - 2] &&
        first[row - 2] === second[column - 1];
      if (isSwapped) edits = Math.min(edits, (before[column - 2] ?? 0) + 1);
      current.push(edits);
      least = Math.min(least, edits);
    }
    if (least > editsMax) return false;
    before = previous;
    previous = current;
  }
  return (previous[second.length] ?? 0) <= editsMax;
}
