import { expect, test } from "bun:test";
import { compareRanks, type SavedRank } from "./saved-ranks.ts";

const toRanks = (ranks: ReadonlyArray<number | null>): SavedRank[] =>
  ranks.map((rank, at) => ({
    engine: "one",
    query: `query ${at}`,
    kind: "plain",
    answers: ["A/b"],
    half: "held",
    rank,
  }));

test("Queries are compared in pairs, and the same number won and lost is chance", () => {
  const change = compareRanks(toRanks([1, 7, null, 2]), toRanks([7, 1, null, 3]), 5);
  expect(change).toMatchObject({ queries: 4, before: 0.5, after: 0.5, won: 1, lost: 1, chance: 1 });
  expect(change.low).toBeCloseTo(-change.high);
});

test("Ten queries that are won and none lost are no chance", () => {
  const change = compareRanks(toRanks(Array(10).fill(null)), toRanks(Array(10).fill(1)), 1);
  expect(change).toMatchObject({ won: 10, lost: 0, chance: 2 / 1024 });
  expect(change.low).toBeGreaterThan(0);
});

test("Files of different queries are not compared", () => {
  expect(() => compareRanks(toRanks([1, 2]), toRanks([1]), 1)).toThrow("query 1");
});
