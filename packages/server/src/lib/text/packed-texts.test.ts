import { expect, test } from "bun:test";
import { PackedTexts } from "./packed-texts.ts";

const toEntry = (at: number) => [
  JSON.stringify({ type: "object", title: `Größe ${at} \u{1F600}` }),
  "x".repeat(at),
];

test("Texts are the same after they are packed, in any order", () => {
  const texts = new PackedTexts();
  const entries = Array.from({ length: 500 }, (_, at) => toEntry(at));
  expect(entries.map((entry) => texts.add([...entry]))).toEqual([...entries.keys()]);
  expect(texts.read(7)).toEqual(toEntry(7));
  expect(texts.isFull()).toBe(true);
  texts.pack();
  for (const at of [499, 0, 7]) expect(texts.read(at)).toEqual(toEntry(at));
  expect(() => texts.read(500)).toThrow("no such entry");
  expect(() => texts.add([])).toThrow("packed already");
});

test("A few short texts are not worth packing", () => {
  const texts = new PackedTexts();
  texts.add(toEntry(1));
  expect(texts.isFull()).toBe(false);
});
