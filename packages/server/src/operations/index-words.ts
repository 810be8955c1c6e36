import MiniSearch from "minisearch";

/** One thing that can be found: by its words, weighed by field, and by any part of its text. */
type Searchable<Key> = { key: Key; fields: Record<string, string>; text: string };

/** How well a thing fits a query. */
export type Match = { contains: boolean; score: number };

export type WordIndex<Key> = {
  /** Looks a query up once; the returned function answers for one thing after another. */
  match(query: string): (key: Key) => Match;
};

/**
 * So much of a query is searched by its words: each is compared with every word of the index, in
 * memory that grows with the square of its length.
 */
const queryCharsMax = 400;

/**
 * They stand in nearly every description: whoever asks in a sentence would get a list of all tools, at
 * the price of one.
 */
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
    // The beginnings "a" and "on" are those of half of all words.
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

/** Keys such as "list_issues" are words to whoever types them. */
function toWords(text: string): string[] {
  return text.toLowerCase().split(/[^\p{L}\p{N}]+/u);
}

function boundQuery(query: string): string {
  return [...new Set(toWords(query.slice(0, queryCharsMax)))].join(" ");
}
