import { expect, test } from "bun:test";
import { selectRange } from "./select-range.ts";

const keys = ["a", "b", "c", "d", "e"];

test.each([
  { name: "one more", from: 1, to: 1, before: "a", after: "ab" },
  { name: "one less", from: 1, to: 1, before: "abd", after: "ad" },
  { name: "a range downwards", from: 1, to: 3, before: "b", after: "bcd" },
  { name: "a range upwards", from: 3, to: 0, before: "de", after: "abcde" },
  { name: "a range that is taken away", from: 0, to: 2, before: "abcde", after: "de" },
])("Check boxes choose $name", ({ from, to, before, after }) => {
  const found = selectRange(new Set(before), keys, { from, to });
  expect([...found].toSorted().join("")).toBe(after);
});
