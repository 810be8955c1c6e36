import type { Target } from "../find-operation.ts";
import type { CatalogueRow } from "../tool-catalogue.ts";
import type { DocumentIndex } from "./document-index.ts";
import type { ToolIndex } from "./tool-index.ts";
import { createTopItems } from "./top-items.ts";
import type { VisibleTools } from "./visible-tools.ts";
import { createFound, type Found, type VisibleDocuments } from "./word-index.ts";
import { toQueryWords } from "./words.ts";

/** The operations that match one alternative of a query. */
export type Matches = {
  /** The best ones first, at most as many as asked for. */
  best: Target[];
  /** One entry for each operation of each visible row, in order: 1 if it matches. */
  matched: Uint8Array;
  /** How many visible operations match each word of the query. */
  words: ReadonlyMap<string, number>;
  /** Whether even the best operation matches only a small part of the query. */
  isWeak: boolean;
};

/** Higher than any score of words, so that operations with the whole text come first. */
const containsRank = 1e9;
/** More than everything else: an operation that calls itself deprecated comes last. */
const deprecatedRank = -1e12;
/** Below this share of the query's words, a match is weak. */
const strongShareMin = 0.5;
/** Typing errors are looked for in the first unknown words only: they cost the most. */
const similarWordsMax = 4;

type Search = { text: string; countMax: number; visible: VisibleTools };

/** Searches the rows that the caller sees for one alternative. */
export function findMatches(
  index: ToolIndex,
  rows: readonly CatalogueRow[],
  { text, countMax, visible }: Search,
): Matches {
  const words = toQueryWords(text);
  const search = {
    index,
    words,
    rows: startSearch(index.rows, visible.rows, text, words),
    operations: startSearch(index.operations, visible.operations, text, words),
  };
  const counts = countWords(rows, search);
  const unknown = [...words.keys()].filter((at) => counts[at] === 0).slice(0, similarWordsMax);
  for (const at of unknown) {
    // Whether a word is known depends on visible operations only, so that hidden ones stay unknown.
    index.rows.words.searchSimilar(words[at] ?? "", at, search.rows.found);
    index.operations.words.searchSimilar(words[at] ?? "", at, search.operations.found);
  }
  return {
    ...rank(rows, search, countMax),
    words: new Map(words.map((word, at) => [word, counts[at] ?? 0])),
  };
}

type StartedSearch = { contains: Uint8Array; found: Found };

function startSearch(
  index: DocumentIndex,
  visible: VisibleDocuments,
  text: string,
  words: readonly string[],
): StartedSearch {
  const found = createFound(visible);
  for (const [bit, word] of words.entries()) index.words.search(word, bit, found);
  return { contains: index.texts.scan(text), found };
}

type Searches = {
  index: ToolIndex;
  words: readonly string[];
  rows: StartedSearch;
  operations: StartedSearch;
};

function countWords(rows: readonly CatalogueRow[], search: Searches): Uint32Array {
  const counts = new Uint32Array(search.words.length);
  const { masks } = search.operations.found;
  for (const row of rows) {
    const { id, operationIds } = search.index.find(row);
    const rowMask = search.rows.found.masks[id] ?? 0;
    for (const operationId of operationIds) {
      let mask = rowMask | (masks[operationId] ?? 0);
      for (; mask !== 0; mask &= mask - 1) {
        const bit = 31 - Math.clz32(mask & -mask);
        counts[bit] = (counts[bit] ?? 0) + 1;
      }
    }
  }
  return counts;
}

function rank(
  rows: readonly CatalogueRow[],
  { index, words, rows: ofRows, operations: ofOperations }: Searches,
  countMax: number,
): Pick<Matches, "best" | "matched" | "isWeak"> {
  const top = createTopItems<{ row: CatalogueRow; at: number }>(countMax);
  const matched = new Uint8Array(rows.reduce((sum, { operations }) => sum + operations.length, 0));
  let strongest = 0;
  let count = 0;
  for (const row of rows) {
    const { id, operationIds } = index.find(row);
    const rowMask = ofRows.found.masks[id] ?? 0;
    const rowScore = ofRows.found.scores[id] ?? 0;
    const rowContains = ofRows.contains[id] ?? 0;
    for (let at = 0; at < operationIds.length; at += 1, count += 1) {
      const operationId = operationIds[at] ?? 0;
      const contains = (rowContains | (ofOperations.contains[operationId] ?? 0)) === 1;
      const mask = rowMask | (ofOperations.found.masks[operationId] ?? 0);
      if (!contains && mask === 0) continue;
      matched[count] = 1;
      const share = words.length === 0 ? 1 : countBits(mask) / words.length;
      strongest = Math.max(strongest, contains ? 1 : share);
      let score = (rowScore + (ofOperations.found.scores[operationId] ?? 0)) * share;
      if (contains) score += containsRank;
      if (index.operations.deprecated.has(operationId)) score += deprecatedRank;
      top.add({ row, at }, score);
    }
  }
  const best = top.best().flatMap(({ row: { row, connector, operations }, at }) => {
    const operation = operations.at(at);
    return operation === undefined ? [] : [{ row, connector, operation }];
  });
  return { best, matched, isWeak: strongest < strongShareMin };
}

function countBits(mask: number): number {
  let rest = mask;
  let count = 0;
  for (; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}
