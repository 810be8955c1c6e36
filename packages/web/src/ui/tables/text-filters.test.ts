import { expect, test } from "bun:test";
import { changeFilters, matchesText, readTextFilters } from "./text-filters.ts";

test("The text filters of an address are read as texts, and unknown ones are left out", () => {
  const search = { q: 12, state: "", other: "x", tag: ["a"] };
  expect(readTextFilters(search, ["q", "state", "tag"])).toEqual({ q: "12" });
});

test("A filter that is emptied leaves the address", () => {
  type Filters = { q?: string; tag?: string };
  const before: Filters = { q: "ada", tag: "red" };
  expect(changeFilters(before, { q: "" })).toEqual({ tag: "red" });
  expect(changeFilters(before, { q: undefined, tag: "" })).toEqual({});
});

test("A search finds texts that have every word, in any case and order", () => {
  expect(matchesText("LOVE ada", ["ada@example.com", "Ada Lovelace"])).toBe(true);
  expect(matchesText("ada ben", ["ada@example.com", null])).toBe(false);
  expect(matchesText(undefined, [])).toBe(true);
});
