import { expect, test } from "bun:test";
import { listSynonyms } from "./synonyms.ts";
import { toStem } from "./word-forms.ts";
import { createFound, createWordIndex } from "./word-index.ts";

const names = ["create issue", "create tickets", "create ticketing", "create pipeline"];

/** The scores of the documents for one word. */
function search(word: string) {
  const index = createWordIndex();
  for (const name of names) {
    index.add([{ words: name.split(" "), weight: 1, usualLength: 2, nameLength: 2 }]);
  }
  const { length } = names;
  const flags = new Uint8Array(length).fill(1);
  const found = createFound({ flags, sizes: new Uint32Array(length).fill(1), count: length });
  index.search(word, 0, found);
  return { scores: [...found.scores], wordMasks: [...found.wordMasks] };
}

test("A word finds its synonyms, below itself and its forms, and above what is only longer", () => {
  const { scores, wordMasks } = search("ticket");
  const [synonym = 0, form = 0, , other] = scores;
  expect(form).toBeGreaterThan(synonym);
  expect(synonym).toBeGreaterThan(0);
  expect(other).toBe(0);
  // The counts of a query's words are of the words themselves.
  expect(wordMasks[0]).toBe(0);
});

test("Forms of a synonym are found too", () => {
  expect(search("defects").scores.map((score) => score > 0)).toEqual([true, true, true, false]);
});

test("Synonyms go in both directions, and no word is its own", () => {
  for (const word of ["issue", "alarm", "person", "message", "cost"]) {
    const stem = toStem(word);
    const others = listSynonyms(stem);
    expect(others.size).toBeGreaterThan(0);
    expect(others.has(stem)).toBe(false);
    for (const other of others) expect(listSynonyms(other).has(stem)).toBe(true);
  }
  expect(listSynonyms("constructor").size).toBe(0);
});
