import type { Target } from "../catalogue/find-operation.ts";
import type { CatalogueRow } from "../catalogue/tool-catalogue.ts";
import { toNameParts, toQueryWords } from "./search-words.ts";
import { findInner, type StartedSearch, startSearch } from "./start-search.ts";
import type { ToolIndex } from "./tool-index.ts";
import { createTopItems } from "./top-items.ts";
import type { VisibleTools } from "./visible-tools.ts";

/** The operations that match one alternative of a query. */
export type Matches = {
  /** The best ones first, at most as many as asked for. */
  best: Target[];
  /** One entry for each operation of each visible row, in order: 1 if it matches. */
  matched: Uint8Array;
  /** How many visible operations have each word of the query, or another form of it. */
  words: ReadonlyMap<string, number>;
  /** Whether even the best operation matches only a small part of the query. */
  isWeak: boolean;
};

/** Higher than any score of words, so that operations whose name is the query come first. */
const namedRank = 1e9;
/** An operation that calls itself deprecated is rarely meant, but may be the only one that fits. */
const deprecatedFactor = 0.3;
/**
 * How much more an operation counts if its name and the query say the same words, so that "Create an issue" comes
 * before "Create an issue comment" for "create issue". More would count against sentences, which say much besides.
 */
const nameWeight = 0.3;
/** How much more an operation counts that has the query word by word, among those with the same words. */
const phraseWeight = 0.2;
/** Below this share of the query's words, a match is weak. */
const strongShareMin = 0.5;
/** Typing errors are looked for in the first unknown words only: they cost the most. */
const similarWordsMax = 4;

/** How much the meaning counts beside the words, whose best match counts 1. */
const meaningWeight = 0.6;
/** How much the meaning of a row counts beside that of its operation. */
const rowMeaningWeight = 0.3;
/** So many operations that share no word with the query are found by meaning alone. */
const meaningMatchesMax = 20;
/** Such an operation has at least this share of the best score. */
const meaningShareMin = 0.5;

/** The cosines of the query with each document, by id; 0 for documents without a vector. */
export type Meaning = { rows: Float32Array; operations: Float32Array };

type Search = {
  text: string;
  countMax: number;
  visible: VisibleTools;
  /** Null if operations are compared by words alone. */
  meaning: Meaning | null;
};

/** Searches the rows that the caller sees for one alternative. */
export function findMatches(
  index: ToolIndex,
  rows: readonly CatalogueRow[],
  { text, countMax, visible, meaning }: Search,
): Matches {
  const words = toQueryWords(text);
  const query = { text, words, inner: findInner(text, words) };
  const search = {
    index,
    words,
    name: toNameParts(text).join(" "),
    rows: startSearch(index.rows, visible.rows, query),
    operations: startSearch(index.operations, visible.operations, query),
  };
  const { counts, known } = countWords(rows, search);
  const unknown = [...words.keys()].filter((at) => ((known >>> at) & 1) === 0);
  for (const at of unknown.slice(0, similarWordsMax)) {
    // Whether a word is known depends on visible operations only, so that hidden ones stay unknown.
    index.rows.words.searchSimilar(words[at] ?? "", at, search.rows.found);
    index.operations.words.searchSimilar(words[at] ?? "", at, search.operations.found);
  }
  return {
    ...rank(rows, search, { countMax, meaning }),
    words: new Map(words.map((word, at) => [word, counts[at] ?? 0])),
  };
}

type Searches = {
  index: ToolIndex;
  words: readonly string[];
  /** The query as a name. */
  name: string;
  rows: StartedSearch;
  operations: StartedSearch;
};

/** How many operations have each word, and bits for the words that any operation matches in any way. */
function countWords(
  rows: readonly CatalogueRow[],
  { index, words, rows: ofRows, operations: ofOperations }: Searches,
): { counts: Uint32Array; known: number } {
  const counts = new Uint32Array(words.length);
  let known = 0;
  for (const row of rows) {
    const { id, operationIds } = index.find(row);
    if (operationIds.length > 0) known |= ofRows.found.masks[id] ?? 0;
    const rowMask = ofRows.found.wordMasks[id] ?? 0;
    // By index: an iterator takes longer than the work.
    for (let at = 0; at < operationIds.length; at += 1) {
      const operationId = operationIds[at] ?? 0;
      known |= ofOperations.found.masks[operationId] ?? 0;
      let mask = rowMask | (ofOperations.found.wordMasks[operationId] ?? 0);
      for (; mask !== 0; mask &= mask - 1) {
        const bit = 31 - Math.clz32(mask & -mask);
        counts[bit] = (counts[bit] ?? 0) + 1;
      }
    }
  }
  return { counts, known };
}

function rank(
  rows: readonly CatalogueRow[],
  searches: Searches,
  { countMax, meaning }: Pick<Search, "countMax" | "meaning">,
): Pick<Matches, "best" | "matched" | "isWeak"> {
  const top = createTopItems<RankedTool>(countMax);
  const named = new Set(searches.index.operations.named.get(searches.name));
  const tools = scoreWords(rows, searches);
  if (meaning !== null) addMeaning(rows, searches, tools, meaning);
  let place = 0;
  for (const row of rows) {
    const { operationIds } = searches.index.find(row);
    for (let at = 0; at < operationIds.length; at += 1, place += 1) {
      const operationId = operationIds[at] ?? 0;
      // "createIssue" shares no whole word with "Create an issue".
      if (named.has(operationId)) tools.matched[place] = 1;
      if (tools.matched[place] === 0) continue;
      let score = tools.scores[place] ?? 0;
      if (searches.index.operations.deprecated.has(operationId)) score *= deprecatedFactor;
      if (named.has(operationId)) score += namedRank;
      top.add({ row, at }, score);
    }
  }
  const best = top.best().flatMap(({ row: { row, connector, operations }, at }) => {
    const operation = operations.at(at);
    return operation === undefined ? [] : [{ row, connector, operation }];
  });
  return { best, matched: tools.matched, isWeak: tools.strongest < strongShareMin };
}

type RankedTool = { row: CatalogueRow; at: number };

/** The operations of all visible rows in order, one entry of each list for each operation. */
type ScoredTools = {
  matched: Uint8Array;
  scores: Float64Array;
  /** The largest share of the query's words that an operation matches. */
  strongest: number;
};

function scoreWords(
  rows: readonly CatalogueRow[],
  { index, words, rows: ofRows, operations: ofOperations }: Searches,
): ScoredTools {
  const count = rows.reduce((sum, { operations }) => sum + operations.length, 0);
  const matched = new Uint8Array(count);
  const scores = new Float64Array(count);
  let strongest = 0;
  let place = 0;
  for (const row of rows) {
    const { id, operationIds } = index.find(row);
    const rowMask = ofRows.found.masks[id] ?? 0;
    const rowScore = ofRows.found.scores[id] ?? 0;
    const rowContains = ofRows.contains[id] ?? 0;
    for (let at = 0; at < operationIds.length; at += 1, place += 1) {
      const operationId = operationIds[at] ?? 0;
      const contains = rowContains | (ofOperations.contains[operationId] ?? 0);
      const mask = rowMask | (ofOperations.found.masks[operationId] ?? 0);
      if (contains === 0 && mask === 0) continue;
      matched[place] = 1;
      const share = words.length === 0 ? 1 : countBits(mask) / words.length;
      strongest = Math.max(strongest, contains === 1 ? 1 : share);
      const said = countBits(ofOperations.found.nameMasks[operationId] ?? 0);
      const nameLength = index.operations.words.nameLength(operationId);
      const factor = 1 + nameWeight * compareName(said, nameLength, words.length);
      const score = (rowScore + (ofOperations.found.scores[operationId] ?? 0)) * share * factor;
      scores[place] = contains === 1 ? score * (1 + phraseWeight) : score;
    }
  }
  return { matched, scores, strongest };
}

/**
 * Adds the meaning to the scores of words. If even the best operation matches only some words of the
 * query, words count less. Operations without a matching word are found by meaning alone.
 */
function addMeaning(
  rows: readonly CatalogueRow[],
  { index }: Searches,
  { matched, scores, strongest }: ScoredTools,
  { rows: rowCosines, operations: cosines }: Meaning,
): void {
  const wordsMax = scores.reduce((max, score) => Math.max(max, score), 0);
  const wordFactor = wordsMax === 0 ? 0 : strongest ** 2 / wordsMax;
  const byMeaning = createTopItems<{ place: number; score: number }>(meaningMatchesMax);
  let best = 0;
  let place = 0;
  for (const row of rows) {
    const { id, operationIds } = index.find(row);
    const rowCosine = rowMeaningWeight * (rowCosines[id] ?? 0);
    for (let at = 0; at < operationIds.length; at += 1, place += 1) {
      const cosine = rowCosine + (cosines[operationIds[at] ?? 0] ?? 0);
      const score = (scores[place] ?? 0) * wordFactor + meaningWeight * Math.max(cosine, 0);
      best = Math.max(best, score);
      if (matched[place] === 1) scores[place] = score;
      else if (cosine > 0) byMeaning.add({ place, score }, score);
    }
  }
  for (const { place: found, score } of byMeaning.best()) {
    if (score < meaningShareMin * best) continue;
    matched[found] = 1;
    scores[found] = score;
  }
}

/** The share of the name that the query says, times the share of the query that the name says: 0 to 1. */
function compareName(said: number, nameLength: number, queryLength: number): number {
  return said === 0 ? 0 : Math.min(said / nameLength, 1) * (said / queryLength);
}

function countBits(mask: number): number {
  let rest = mask;
  let count = 0;
  for (; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}
