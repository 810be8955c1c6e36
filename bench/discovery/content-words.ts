import type { Operation } from "./corpus-file.ts";

/** Words that say nothing about a task, so that a query may share them with every operation. */
const emptyWords = new Set(
  (
    "a about after again all also am an and another any anybody anyone anything are as ask at away back be before " +
    "both but by can could did do does doing done down each end every everybody everyone everything exactly folks for " +
    "from get gets give go goes had half hand has have he her here him himself his how i if in into is it its let like " +
    "look make many me might more most much must my need new next no nobody not now of off on once one onto or other " +
    "others our out over people put s she should so some somebody someone something soon still than that the their " +
    "them then there these they this those to today too under until up us use want wants was way we were what when " +
    "where which while who whose why will with would yet you your"
  ).split(" "),
);

/** The words of a text that say what it is about, without plural and verb endings. */
export function listContentWords(text: string): Set<string> {
  const words = text
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u);
  return new Set(words.filter((word) => word !== "" && !emptyWords.has(word)).map(cutEnding));
}

/** All content words of an operation, its row and its connector. */
export function listOperationWords(operation: Operation): Set<string> {
  const { connector, label, about, key, name, description, inputs } = operation;
  return listContentWords([connector, label, about, key, name, description, ...inputs].join(" "));
}

function cutEnding(word: string): string {
  if (word.length <= 3) return word;
  const stem = word.replace(/(?:ing|ies|ed|es|s|e|y)$/, "");
  return stem.length < 3 ? word : stem;
}
