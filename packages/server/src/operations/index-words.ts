import MiniSearch from "minisearch";

/** A searchable item: by its words, weighted by field, and by any part of its text. */
type Searchable<Key> = { key: Key; fields: Record<string, string>; text: string };

/** How well an item matches a query. */
export type Match = { contains: boolean; score: number };

export type WordIndex<Key> = {
  /** Searches once. The returned function gives the match of each item. */
  match(query: string): (key: Key) => Match;
};

/**
 * Only this much of a query is searched by words. Each word is compared with all words of the
 * index, and memory grows with the square of the query's length.
 */
const queryCharsMax = 400;

/** These words occur in nearly every description, so a query in sentences would match all tools. */
const commonWords = new Set(
  "a an and are as at be by can do for from how i in is it me my of on or that the this to what with".split(
    " ",
  ),
);

const boost = { name: 3, label: 2 };
const noMatch: Match = { contains: false, score: 0 };

export function createWordIndex<Key extends object>(
  things: ReadonlyArray<Searchable<Key>>,
): WordIndex<Key> {
  const texts = things.map(({ text }) => text.toLowerCase());
  const index = new MiniSearch<Record<string, unknown>>({
    fields: [...new Set(things.flatMap(({ fields }) => Object.keys(fields)))],
    tokenize: toWords,
    processTerm: (word) => (commonWords.has(word) ? null : word),
    // Half of all words begin with "a" or "on".
    searchOptions: { prefix: (word) => word.length > 2, boost, fuzzy: 0.2 },
  });
  index.addAll(things.map(({ fields }, id) => ({ id, ...fields })));

  return {
    match(query) {
      const needle = query.trim().toLowerCase();
      const scores = new Map<unknown, number>();
      for (const { id, score } of index.search(boundQuery(query))) scores.set(id, score);
      const matches = new Map<Key, Match>();
      for (const [id, { key }] of things.entries()) {
        const contains = texts[id]?.includes(needle) ?? false;
        const score = scores.get(id) ?? 0;
        if (contains || score > 0) matches.set(key, { contains, score });
      }
      return (key) => matches.get(key) ?? noMatch;
    },
  };
}

/** Splits keys such as "list_issues" into words, because users search for the words. */
function toWords(text: string): string[] {
  return text.toLowerCase().split(/[^\p{L}\p{N}]+/u);
}

function boundQuery(query: string): string {
  return [...new Set(toWords(query.slice(0, queryCharsMax)))].join(" ");
}
