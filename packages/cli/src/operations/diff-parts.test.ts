import { expect, test } from "bun:test";
import { type DiffPart, diffParts } from "./diff-parts.ts";

const show = (parts: readonly DiffPart[]) =>
  parts.map(({ kind, text }) => `${{ same: "", removed: "-", added: "+" }[kind]}${text}`).join(" ");

test.each([
  ["a b c", "a b c", "a b c"],
  ["a b c", "a x c", "a -b +x c"],
  ["a b c d", "b c e d", "-a b c +e d"],
  ["a a a", "a a", "a a -a"],
])("The difference of %p and %p is %p", (before, after, shown) => {
  expect(show(diffParts(before.split(" "), after.split(" ")))).toBe(shown);
});

test("Lists too long for a table are shown whole, beside equal starts and ends", () => {
  const toList = (word: string) => [
    "a",
    ...Array.from({ length: 3_000 }, (_, at) => `${word}${at}`),
  ];
  const parts = diffParts([...toList("x"), "z"], [...toList("y"), "z"]);
  expect(parts.filter(({ kind }) => kind === "same").map(({ text }) => text)).toEqual(["a", "z"]);
  expect(parts).toHaveLength(6_002);
});
