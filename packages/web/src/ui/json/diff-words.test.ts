import { expect, test } from "bun:test";
import { diffWords } from "./diff-words.ts";

const kinds = { same: "", removed: "-", added: "+" } as const;

function show(before: string, after: string): string[] | undefined {
  return diffWords(before, after)?.map(({ kind, text }) => `${kinds[kind]}${text}`);
}

test.each([
  ["", "", []],
  ["same", "same", ["same"]],
  ["", "new text", ["+new text"]],
  ["old", "", ["-old"]],
  ["Lists pets.", "Lists all pets.", ["Lists ", "+all ", "pets."]],
  ["Read the file.", "Send the file.", ["-Read", "+Send", " the file."]],
  ['"limit": 10,', '"limit": 100,', ['"limit": ', "-10", "+100", ","]],
  ["a b c", "c b a", ["-a", "+c", " b ", "-c", "+a"]],
])("The difference of %j and %j names words", (before, after, expected) => {
  expect(show(before, after)).toEqual(expected);
});

test("Both texts can be made again from any difference", () => {
  let seed = 7;
  const next = (bound: number) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return (seed >>> 8) % bound;
  };
  const words = ["a", "b", "c", "ü", "{", "}", "\n"];
  const write = () => Array.from({ length: next(40) }, () => words[next(words.length)]).join(" ");
  let checked = 0;
  for (let round = 0; round < 300; round += 1) {
    const before = write();
    const after = write();
    const parts = diffWords(before, after) ?? [];
    const join = (kind: string) =>
      parts.flatMap((part) => (part.kind === kind ? [] : [part.text])).join("");
    expect([join("added"), join("removed")]).toEqual([before, after]);
    checked += before.length + after.length;
  }
  expect(checked).toBeGreaterThan(10_000);
});

test("Texts that are too long or differ too much have no difference", () => {
  const write = (word: string, length: number) =>
    Array.from({ length }, (_, at) => `${word}${at}`).join(" ");
  expect(diffWords(write("a", 1_000), write("b", 1_000))).toBeNull();
  expect(diffWords(write("a", 20_000), write("a", 20_001))).toBeNull();
  expect(diffWords(write("a", 10_000), `${write("a", 10_000)} more`)).toHaveLength(2);
});
