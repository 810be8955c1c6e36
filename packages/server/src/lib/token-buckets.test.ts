import { expect, test } from "bun:test";
import { createTokenBuckets } from "./token-buckets.ts";

function open(keysMax?: number) {
  const clock = { ms: 3_600_000 };
  const buckets = createTokenBuckets({ now: () => clock.ms, ...(keysMax && { keysMax }) });
  const takeMany = (count: number, key: string, perMinute: number) =>
    Array.from({ length: count }, () => buckets.take(key, perMinute));
  return { clock, takeMany };
}

test("Tokens come back evenly, and one key's use leaves another's alone", () => {
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

test("A clock that was set back keeps no key waiting for it", () => {
  const { clock, takeMany } = open();
  takeMany(1, "a", 1);
  clock.ms = 0;
  expect(takeMany(1, "a", 1)).toEqual([60_000]);
  clock.ms += 60_000;
  expect(takeMany(1, "a", 1)).toEqual([0]);
});

test("After a limit was lowered, at most a minute's worth of what was taken counts", () => {
  const { clock, takeMany } = open();
  takeMany(100, "a", 100);
  expect(takeMany(1, "a", 1)).toEqual([60_000]);
  clock.ms += 60_000;
  expect(takeMany(1, "a", 1)).toEqual([0]);
});

test("Beyond the greatest number of keys, the one unused for longest is forgotten", () => {
  const { takeMany } = open(2);
  takeMany(1, "a", 1);
  takeMany(1, "b", 1);
  takeMany(1, "c", 1);
  expect(takeMany(1, "c", 1)).toEqual([60_000]);
  expect(takeMany(1, "b", 1)).toEqual([60_000]);
  expect(takeMany(1, "a", 1)).toEqual([0]);
});
