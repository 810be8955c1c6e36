import { createTextScanner, type TextScanner } from "./text-scanner.ts";
import { createWordIndex, type WordField, type WordIndex } from "./word-index.ts";

/** An index of one kind of document. All of its parts know documents by the same ids. */
export type DocumentIndex = {
  words: WordIndex;
  texts: TextScanner;
  /** The ids of documents that call themselves deprecated. */
  deprecated: ReadonlySet<number>;
};

/** What is indexed of a document: its words by field, and its text as a whole. */
export type Described = { fields: WordField[]; text: string; isDeprecated: boolean };

/** The entries of removed documents stay. Beyond this share all documents are indexed again. */
const wasteMax = 0.5;
/** About 5 ms of work. */
const documentsPerPortion = 200;

/** Keeps an index of the listed documents. One with a known key is not described again. */
export function createDocumentIndexer<Key, Listed extends { key: Key }>(
  describe: (listed: Listed) => Described,
  pause: () => Promise<void>,
) {
  let words = createWordIndex();
  // Without the fields: the words of thousands of documents would be held a second time.
  let known = new Map<Key, { id: number } & Pick<Described, "text" | "isDeprecated">>();

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
        kept.clear();
      }
      let added = 0;
      for (const one of listed) {
        if (kept.has(one.key)) continue;
        const { fields, text, isDeprecated } = describe(one);
        kept.set(one.key, { id: words.add(fields), text, isDeprecated });
        added += 1;
        if (added % documentsPerPortion === 0) await pause();
      }
      known = kept;
      const entries = [...kept.values()];
      const texts = entries.map(({ id, text }) => ({ id, text }));
      const deprecated = entries.filter(({ isDeprecated }) => isDeprecated);
      return {
        words,
        texts: createTextScanner(texts, words.size()),
        deprecated: new Set(deprecated.map(({ id }) => id)),
        findId: (key: Key): number => kept.get(key)?.id ?? 0,
      };
    },
  };
}
