import { expect, test } from "bun:test";
import { choose, countChosen, isChosen, listRange, noSelection } from "./selection.ts";

test("Rows are chosen and taken out, one by one and in ranges", () => {
  const ids = ["a", "b", "c", "d"];
  const some = choose(noSelection, listRange(ids, 3, 1), true);
  expect(ids.map((id) => isChosen(some, id))).toEqual([false, true, true, true]);
  expect(countChosen(choose(some, ["b"], false), 5000)).toBe(2);
});

test("Of all that match, some can be left out and taken back", () => {
  const all = { isAll: true, ids: new Set<string>() };
  const less = choose(all, ["a", "b"], false);
  expect(countChosen(less, 5053)).toBe(5051);
  expect([isChosen(less, "a"), isChosen(less, "z")]).toEqual([false, true]);
  expect(countChosen(choose(less, ["a"], true), 5053)).toBe(5052);
});
