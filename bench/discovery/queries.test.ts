import { expect, test } from "bun:test";
import { resolve } from "node:path";
import { listContentWords } from "./content-words.ts";
import { readQueries } from "./corpus-file.ts";

const read = (name: string) => readQueries(resolve(import.meta.dirname, name));

test("A third of the queries is of each kind, and half of each kind is held back", async () => {
  const queries = await read("queries.jsonl");
  const groups = Map.groupBy(queries, ({ kind, half }) => `${kind} ${half}`);
  const sizes = [...groups].map(([group, of]) => [group, of.length]);
  expect(Object.fromEntries(sizes)).toEqual({
    "keywords tune": 40,
    "keywords held": 40,
    "sentence tune": 40,
    "sentence held": 40,
    "paraphrase tune": 40,
    "paraphrase held": 40,
  });
  expect(new Set(queries.map(({ query }) => query.toLowerCase())).size).toBe(queries.length);
});

test("The reworded queries are the sentences and paraphrases, with their answers and halves", async () => {
  const needs = (await read("queries.jsonl")).filter(({ kind }) => kind !== "keywords");
  const reworded = await read("reworded.jsonl");
  expect(reworded.map(({ query: _, ...rest }) => rest)).toEqual(
    needs.map(({ query: _, ...rest }) => rest),
  );
});

test("Content words are compared without endings, in keys and in camel case", () => {
  const shared = (a: string, b: string) => [
    ...listContentWords(a).intersection(listContentWords(b)),
  ];
  expect(shared("Which issues are there?", "issues_create")).toEqual(["issu"]);
  expect(shared("sending invoices", "sendInvoice")).toEqual(["send", "invoic"]);
  expect(shared("who is there for me", "for who is me")).toEqual([]);
});
