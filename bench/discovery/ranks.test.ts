import { expect, test } from "bun:test";
import { findRank, toMrr, toShare } from "./ranks.ts";

test("The rank is the place of the first answer, and null without an answer", () => {
  expect(findRank(["a/x", "b/y", "b/z"], ["b/z", "b/y"])).toBe(2);
  expect(findRank(["a/x"], ["a/x"])).toBe(1);
  expect(findRank(["a/x"], ["b/y"])).toBeNull();
  expect(findRank([], ["b/y"])).toBeNull();
});

test("A share counts the queries with an answer among the first places", () => {
  const ranks = [1, 5, 6, null];
  expect(toShare(ranks, 1)).toBe(0.25);
  expect(toShare(ranks, 5)).toBe(0.5);
  expect(() => toShare([], 5)).toThrow("at least one value");
});

test("The mean reciprocal rank counts a query without an answer as zero", () => {
  expect(toMrr([1, 2, null, 4])).toBe(0.4375);
  expect(toMrr([null])).toBe(0);
});
