import { toNameWords, toQueryWords, toWords } from "../operations/search/search-words.ts";
import { createTopItems } from "../operations/search/top-items.ts";
import { createFound, createWordIndex, type WordIndex } from "../operations/search/word-index.ts";
import { cutSnippet } from "./cut-snippet.ts";
import { toTopic } from "./find-page.ts";
import type { Docs } from "./read-docs.ts";
import { type Section, splitSections } from "./split-sections.ts";

/** A section of the documentation that matches words. */
export type FoundSection = {
  /** The page, as `hub help` names it. */
  topic: string;
  page: string;
  section: string;
  /** The name of the section in addresses; empty for the beginning of the page. */
  anchor: string;
  /** A part of the text with a word that was searched, at most 200 characters. */
  snippet: string;
};

export type DocsSearch = {
  /** The best sections first. `words` beyond 400 characters do not count. */
  search(words: string, countMax: number): Promise<FoundSection[]>;
};

/** Sections are longer than descriptions, and differ more in length. */
const lengthShare = 0.7;
/** As long as a question in words. */
const queryCharsMax = 400;
/** About 5 ms of work. */
const sectionsPerPortion = 15;
/**
 * Typing errors are looked for in the first unknown words only, and in titles: among all words of the pages, every
 * word has a similar one.
 */
const similarWordsMax = 4;
/** Pages that explain come before lists of endpoints, and before reasons. */
const weights: ReadonlyArray<readonly [RegExp, number]> = [
  [/^README\.md$|\/README\.md$|^reference\/(?:api|cli)\.md$/, 0.3],
  [/^decisions\//, 0.6],
  [/^reference\/api\//, 0.6],
];

/** Words that people type, and the word of the pages for the same. */
const sameWords: ReadonlyMap<string, string> = new Map([
  ["postgres", "postgresql"],
  ["https", "tls"],
  ["login", "sign"],
  ["signin", "sign"],
  ["forgot", "lost"],
  ["timezone", "zone"],
]);

type Index = {
  words: WordIndex;
  /** The titles of sections and pages alone, with the same numbers. Those of decisions are sentences, and empty here. */
  titles: WordIndex;
  sections: readonly Section[];
};

/** The pages are read and indexed by the first search. `pause` is awaited between portions of this work. */
export function createDocsSearch(docs: Docs, pause: () => Promise<void>): DocsSearch {
  let index: Promise<Index> | null = null;
  let turn = Promise.resolve();
  const loadIndex = async (): Promise<Index> => {
    index ??= indexDocs(docs, pause);
    try {
      return await index;
    } catch (thrown) {
      // The next search reads the pages again.
      index = null;
      throw thrown;
    }
  };
  return {
    async search(words, countMax) {
      const loaded = await loadIndex();
      // Searches that waited for the index together still leave turns to other work.
      turn = turn.then(pause);
      await turn;
      return findSections(loaded, words.slice(0, queryCharsMax), countMax);
    },
  };
}

async function indexDocs({ paths, read }: Docs, pause: () => Promise<void>): Promise<Index> {
  const words = createWordIndex({ lengthShare });
  const titles = createWordIndex({ lengthShare });
  const sections: Section[] = [];
  for (const path of paths) {
    for (const section of splitSections(path, await read(path))) {
      const names = [
        { words: toNameWords(section.title), weight: 4, usualLength: 4 },
        { words: [...toWords(section.page), ...toWords(path)], weight: 2, usualLength: 6 },
      ];
      words.add([...names, { words: toWords(section.text), weight: 1, usualLength: 80 }]);
      titles.add(path.startsWith("decisions/") ? [] : names);
      sections.push(section);
      if (sections.length % sectionsPerPortion === 0) await pause();
    }
  }
  return { words, titles, sections };
}

function findSections({ words: index, titles, sections }: Index, text: string, countMax: number) {
  const words = toQueryWords(text);
  const count = sections.length;
  const found = createFound({
    flags: new Uint8Array(count).fill(1),
    sizes: new Uint32Array(count).fill(1),
    count,
  });
  for (const [bit, word] of words.entries()) {
    const same = sameWords.get(word);
    if (same !== undefined) index.search(same, bit, found);
    index.search(word, bit, found);
  }
  const known = found.masks.reduce((all, mask) => all | mask, 0);
  const unknown = [...words.keys()].filter((bit) => (known & (1 << bit)) === 0);
  for (const bit of unknown.slice(0, similarWordsMax)) {
    titles.searchSimilar(words[bit] ?? "", bit, found);
  }
  const top = createTopItems<Section>(countMax);
  for (const [id, section] of sections.entries()) {
    const share = countBits(found.masks[id] ?? 0) / words.length;
    if (share > 0) top.add(section, (found.scores[id] ?? 0) * share * weigh(section.path));
  }
  return top.best().map((section) => toFound(section, words));
}

function weigh(path: string): number {
  return weights.find(([pattern]) => pattern.test(path))?.[1] ?? 1;
}

function countBits(mask: number): number {
  let count = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}

function toFound({ path, page, title, anchor, text }: Section, words: readonly string[]) {
  return { topic: toTopic(path), page, section: title, anchor, snippet: cutSnippet(text, words) };
}
