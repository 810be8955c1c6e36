import { expect, spyOn, test } from "bun:test";
import { createTokenBuckets } from "./token-buckets.ts";

function open(keysMax?: number) {
  const clock = { ms: 3_600_000 };
  const buckets = createTokenBuckets({ now: () => clock.ms, ...(keysMax && { keysMax }) });
  const takeMany = (count: number, key: string, perMinute: number) =>
    Array.from({ length: count }, () => buckets.take(key, perMinute));
  return { clock, takeMany };
}

test("Tokens are refilled evenly, and keys do not affect each other", () => {
  const { clock, takeMany } = open();
  expect(takeMany(3, "a", 2)).toEqual([0, 0, 30_000]);
  expect(takeMany(1, "b", 2)).toEqual([0]);
  clock.ms += 30_000;
  expect(takeMany(2, "a", 2)).toEqual([0, 30_000]);
});

test("A refused take costs nothing: the wait does not grow with each attempt", () => {
  const { takeMany } = open();
  expect(takeMany(4, "a", 1)).toEqual([0, 60_000, 60_000, 60_000]);
});

test("A clock that is set back does not block a key", () => {
  const { clock, takeMany } = open();
  takeMany(1, "a", 1);
  clock.ms = 0;
  expect(takeMany(1, "a", 1)).toEqual([60_000]);
  clock.ms += 60_000;
  expect(takeMany(1, "a", 1)).toEqual([0]);
});

test("After a limit is lowered, at most one minute's tokens count as taken", () => {
  const { clock, takeMany } = open();
  takeMany(100, "a", 100);
  expect(takeMany(1, "a", 1)).toEqual([60_000]);
  clock.ms += 60_000;
  expect(takeMany(1, "a", 1)).toEqual([0]);
});

test("At the maximum number of keys, the longest unused one is removed", () => {
  const { takeMany } = open(2);
  takeMany(1, "a", 1);
  takeMany(1, "b", 1);
  takeMany(1, "c", 1);
  expect(takeMany(1, "c", 1)).toEqual([60_000]);
  expect(takeMany(1, "b", 1)).toEqual([60_000]);
  expect(takeMany(1, "a", 1)).toEqual([0]);
});

test("The longest unused key is found without a walk over the keys (attack)", () => {
  const { takeMany } = open(100);
  const walks = (["keys", "entries", "values", Symbol.iterator] as const).map((name) =>
    spyOn(Map.prototype, name),
  );
  for (let n = 0; n < 1000; n += 1) takeMany(1, `${n}`, 1);
  const count = walks.reduce((sum, { mock }) => sum + mock.calls.length, 0);
  for (const walk of walks) walk.mockRestore();
  expect(count).toBe(0);
});
