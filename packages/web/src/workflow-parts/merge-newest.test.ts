import { expect, test } from "bun:test";
import { findShorter, mergeNewest } from "./merge-newest.ts";

const at = (minute: number, id = `i${minute}`) => ({
  id,
  created_at: `2026-01-01T00:${String(minute).padStart(2, "0")}:00.000Z`,
});
const ids = (items: ReadonlyArray<{ id: string }>) => items.map(({ id }) => id);

test("Two whole lists are one, newest first, and equal times have one order", () => {
  const one = { items: [at(9), at(5, "b"), at(1)], isWhole: true };
  const other = { items: [at(7), at(5, "c"), at(5, "a")], isWhole: true };
  expect(ids(mergeNewest(one, other))).toEqual(["i9", "i7", "c", "b", "a", "i1"]);
  expect(findShorter(one, other)).toBeNull();
});

test("What may follow something that is not loaded is left out until it is", () => {
  const one = { items: [at(9), at(5)], isWhole: false };
  const other = { items: [at(8), at(4), at(3)], isWhole: true };
  expect(ids(mergeNewest(one, other))).toEqual(["i9", "i8", "i5"]);
  expect(findShorter(one, other)).toBe("one");
  expect(findShorter(one, { ...other, isWhole: false })).toBe("one");
  expect(findShorter({ ...one, isWhole: true }, { ...other, isWhole: false })).toBe("other");
});
