import { expect, test } from "bun:test";
import fc from "fast-check";
import { createTextIndex } from "./text-index.ts";

test("The candidates contain every entry whose text is in the message", () => {
  const letters = fc.string({ unit: fc.constantFrom("a", "b", "ä", "😀"), maxLength: 12 });
  fc.assert(
    fc.property(fc.array(letters, { maxLength: 30 }), letters, (texts, message) => {
      const index = createTextIndex<string>();
      const taken = texts.filter((text) => index.add(text, text));
      expect(taken).toEqual(texts.filter((text) => text.length >= 3));
      const candidates = new Set(index.findCandidates(message).flat());
      for (const text of taken) {
        if (message.includes(text)) expect(candidates.has(text)).toBe(true);
      }
    }),
    { seed: 20 },
  );
});

test("Texts of a series that begin alike are told apart", () => {
  const index = createTextIndex<number>();
  for (let at = 0; at < 10_000; at += 1) index.add(`order ${at}`, at);
  expect(index.findCandidates("please cancel order 4711 now").flat().length).toBeLessThan(200);
  expect(index.findCandidates("please cancel order 4711 now").flat()).toContain(4711);
  expect(index.findCandidates("hello ".repeat(1_000)).flat()).toEqual([]);
});
