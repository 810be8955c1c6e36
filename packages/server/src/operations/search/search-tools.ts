import type { Caller } from "../../caller.ts";
import { yieldToEventLoop } from "../../lib/time/yield-to-event-loop.ts";
import type { Target } from "../catalogue/find-operation.ts";
import { createOperationTexts } from "../catalogue/operation-texts.ts";
import { type Catalogue, listVisibleRows } from "../catalogue/tool-catalogue.ts";
import { dropHubTokens } from "../masking/hub-tokens.ts";
import type { FoundTools, ToolQuery } from "../operations.ts";
import { showFound } from "./found-tools.ts";
import { listRelated } from "./list-related.ts";
import { findMatches, type Matches } from "./match-tools.ts";
import { takeRoundRobin } from "./round-robin.ts";
import type { SemanticIndex } from "./semantic-index.ts";
import type { SemanticSearch } from "./semantic-search.ts";
import { createToolIndexer, type ToolIndex } from "./tool-index.ts";
import { findVisibleTools } from "./visible-tools.ts";

const limitDefault = 10;
/** A query of more alternatives costs no more. */
const alternativesMax = 8;
/** Only this much of an alternative is searched by words. */
const alternativeCharsMax = 400;

/** Searches catalogues. The index follows their changes, and is built by the first search. */
export type ToolSearch = {
  /**
   * Results whose name is the query come first, then results by how well they match its words.
   * Of a query with alternatives ("a | b") the results are taken round-robin.
   */
  search(catalogue: Catalogue, caller: Caller, wanted: ToolQuery): Promise<FoundTools>;
  /** The same results as they are, for other readers than models. */
  rank(catalogue: Catalogue, caller: Caller, wanted: ToolQuery): Promise<RankedTools>;
  /** Builds the index now, so that the vectors of operations are made before the first search. */
  prepare(catalogue: Catalogue): Promise<void>;
};

/** A page of the ranked results, and what `FoundTools` says of all. */
export type RankedTools = { targets: readonly Target[] } & Pick<
  FoundTools,
  "total" | "words" | "related"
>;

type SearchIndex = { tools: ToolIndex; meaning: SemanticIndex | null };

/** `semantic` is null if operations are compared by words alone. */
export function createToolSearch(
  semantic: SemanticSearch | null = null,
  pause: () => Promise<void> = yieldToEventLoop,
): ToolSearch {
  const indexer = createToolIndexer(pause);
  const texts = createOperationTexts();
  let current: { of: Catalogue; index: Promise<SearchIndex> } | null = null;

  const update = async (catalogue: Catalogue): Promise<SearchIndex> => {
    const tools = await indexer.update(catalogue);
    return { tools, meaning: (await semantic?.index(catalogue, tools)) ?? null };
  };

  /** Concurrent searches share one update. Updates follow each other. */
  const findIndex = (catalogue: Catalogue): Promise<SearchIndex> => {
    if (current?.of === catalogue) return current.index;
    const before = current?.index ?? Promise.resolve();
    const index = before.then(
      () => update(catalogue),
      () => update(catalogue),
    );
    current = { of: catalogue, index };
    return index;
  };

  const tools: ToolSearch = {
    async prepare(catalogue) {
      await findIndex(catalogue);
    },
    async search(catalogue, caller, wanted) {
      const { offset = 0, hasSchemas = false } = wanted;
      const { targets, total, words, related } = await tools.rank(catalogue, caller, wanted);
      const { rows, ...shown } = showFound(texts, { targets, offset, hasSchemas });
      return { ...shown, total, words, ...(related && { related }), ...(rows && { rows }) };
    },
    async rank(catalogue, caller, wanted) {
      const { query, limit = limitDefault, offset = 0, within, isByWords } = wanted;
      const alternatives = splitAlternatives(dropHubTokens(query));
      // Asked first, so that the index and the query's vectors are made at the same time.
      const asked = isByWords
        ? undefined
        : semantic?.findVectors({
            catalogue,
            caller,
            query,
            split: splitAlternatives,
            count: alternatives.length,
          });
      const { tools: index, meaning: semanticIndex } = await findIndex(catalogue);
      const rows = listVisibleRows(catalogue, caller, within);
      const visible = findVisibleTools(index, rows);
      const vectors = (await asked) ?? [];
      const found: Matches[] = [];
      for (const { text, place } of listTexts(alternatives)) {
        const vector = vectors[place] ?? null;
        const meaning =
          semantic === null || semanticIndex === null || vector === null
            ? null
            : await semantic.compare(vector, semanticIndex, visible);
        found.push(findMatches(index, rows, { text, countMax: offset + limit, visible, meaning }));
      }
      const page = takeRoundRobin(
        found.map(({ best }) => best),
        offset + limit,
      ).slice(offset);
      const related = listRelated(index, rows, visible, found);
      return {
        targets: page,
        total: countAll(found),
        words: Object.fromEntries(found.flatMap(({ words }) => [...words])),
        ...(related.length > 0 && { related }),
      };
    },
  };
  return tools;
}

/** "close issue | resolve ticket" has two alternatives. Some may be empty. */
function splitAlternatives(query: string): string[] {
  return query.split(/\s\|\s/).map((part) => part.trim().slice(0, alternativeCharsMax));
}

/** The alternatives to search for, and their places in the query. */
function listTexts(alternatives: readonly string[]): Array<{ text: string; place: number }> {
  const parts = alternatives
    .map((text, place) => ({ text, place }))
    .filter(({ text }) => text !== "");
  return parts.length === 0 ? [{ text: "", place: 0 }] : parts.slice(0, alternativesMax);
}

/** An operation that matches two alternatives counts once. */
function countAll(found: readonly Matches[]): number {
  const [first = new Uint8Array(0), ...others] = found.map(({ matched }) => matched);
  const any = others.length === 0 ? first : first.slice();
  for (const other of others) {
    for (let at = 0; at < any.length; at += 1) any[at] = (any[at] ?? 0) | (other[at] ?? 0);
  }
  let count = 0;
  for (let at = 0; at < any.length; at += 1) count += any[at] ?? 0;
  return count;
}
