import { createTextScanner, type TextScanner } from "./text-scanner.ts";
import { createWordIndex, type WordField, type WordIndex } from "./word-index.ts";

/** An index of one kind of document. All of its parts know documents by the same ids. */
export type DocumentIndex = {
  words: WordIndex;
  texts: TextScanner;
  /** The ids of documents that call themselves deprecated. */
  deprecated: ReadonlySet<number>;
  /** The ids of documents by their names, also of removed ones. */
  named: ReadonlyMap<string, readonly number[]>;
};

/** What is indexed of a document beside its text: its words by field, and its names. */
export type Described = { fields: WordField[]; names: string[]; isDeprecated: boolean };

type Describe<Listed> = {
  describe: (listed: Listed) => Described;
  /** The text as a whole. It is asked for at each update, because keeping it would hold it twice. */
  toText: (listed: Listed) => string;
};

/** The entries of removed documents stay. Beyond this share all documents are indexed again. */
const wasteMax = 0.5;
/** About 5 ms of work. */
const documentsPerPortion = 200;

/** Keeps an index of the listed documents. One with a known key is not described again. */
export function createDocumentIndexer<Key, Listed extends { key: Key }>(
  { describe, toText }: Describe<Listed>,
  pause: () => Promise<void>,
) {
  let words = createWordIndex();
  let named = new Map<string, number[]>();
  // Without the fields: the words of thousands of documents would be held a second time.
  let known = new Map<Key, { id: number; isDeprecated: boolean }>();

  return {
    async update(listed: readonly Listed[]) {
      const kept: typeof known = new Map();
      for (const { key } of listed) {
        const entry = known.get(key);
        if (entry !== undefined) kept.set(key, entry);
      }
      words.remove(known.size - kept.size);
      if (words.waste() > wasteMax) {
        words = createWordIndex();
        named = new Map();
        kept.clear();
      }
      let added = 0;
      for (const one of listed) {
        if (kept.has(one.key)) continue;
        const { fields, names, isDeprecated } = describe(one);
        const id = words.add(fields);
        kept.set(one.key, { id, isDeprecated });
        for (const name of new Set(names)) {
          const others = named.get(name);
          if (others === undefined) named.set(name, [id]);
          else others.push(id);
        }
        added += 1;
        if (added % documentsPerPortion === 0) await pause();
      }
      known = kept;
      const texts = new Map<number, string>();
      for (const one of listed) texts.set(kept.get(one.key)?.id ?? 0, toText(one));
      const deprecated = [...kept.values()].filter(({ isDeprecated }) => isDeprecated);
      return {
        words,
        texts: createTextScanner(
          [...texts].map(([id, text]) => ({ id, text })),
          words.size(),
        ),
        deprecated: new Set(deprecated.map(({ id }) => id)),
        named,
        findId: (key: Key): number => kept.get(key)?.id ?? 0,
      };
    },
  };
}
