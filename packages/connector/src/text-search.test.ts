import { describe, expect, spyOn, test } from "bun:test";
import fc from "fast-check";
import { containsText, countText, findText, replaceText, splitText } from "./text-search.ts";

/** A text of two letters in which every part repeats, but never three times in a row. */
function toFibonacciWord(charsMin: number): string {
  let [before, word] = ["b", "a"];
  while (word.length < charsMin) [before, word] = [word, word + before];
  return word;
}

/** The number of characters that a search reports as read. */
function countChars(search: (charge: (chars: number) => void) => unknown): number {
  let total = 0;
  search((chars) => {
    total += chars;
  });
  return total;
}

const word = toFibonacciWord(40_000);

/** Texts with needles that make a simple search compare nearly the whole needle at each place. */
const hardCases: [string, { text: string; needle: string }][] = [
  ["of one letter", { text: "a".repeat(40_000), needle: "a".repeat(20_000) }],
  ["that end with another letter", { text: "a".repeat(40_000), needle: `${"a".repeat(19_999)}b` }],
  [
    "that begin with another letter",
    { text: "a".repeat(40_000), needle: `b${"a".repeat(19_999)}` },
  ],
  [
    "with another letter in the middle",
    { text: "a".repeat(40_000), needle: `${"a".repeat(10_000)}b${"a".repeat(10_000)}` },
  ],
  ["of two letters in turn", { text: "ab".repeat(20_000), needle: `${"ab".repeat(9_999)}bb` }],
  [
    "that repeat a long part",
    {
      text: `${"a".repeat(99)}b`.repeat(400),
      needle: `${`${"a".repeat(99)}b`.repeat(100)}${"a".repeat(100)}`,
    },
  ],
  ["of a Fibonacci word", { text: word, needle: word.slice(0, 20_000) }],
  ["of a Fibonacci word from its middle", { text: word, needle: word.slice(7_000, 20_000) }],
  ["of a Fibonacci word with a wrong end", { text: word, needle: `${word.slice(0, 20_000)}bb` }],
  ["of a Fibonacci word with a wrong start", { text: word, needle: `bbb${word.slice(0, 20_000)}` }],
];

/** Texts of few letters, so that needles occur and nearly occur. Some needles are long and repeat. */
const cases = fc
  .record({
    part: fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 12 }),
    times: fc.integer({ min: 1, max: 40 }),
    end: fc.string({ unit: fc.constantFrom("a", "b", "é", "\ud83d"), maxLength: 3 }),
    around: fc.array(fc.string({ unit: fc.constantFrom("a", "b", "é"), maxLength: 20 }), {
      minLength: 1,
      maxLength: 5,
    }),
  })
  .map(({ part, times, end, around }) => {
    const needle = part.repeat(times) + end;
    return { needle, text: around.join(needle) + part.repeat(3) + needle.slice(0, -1) };
  });

describe("a text search", () => {
  test("finds what the engine finds", () => {
    fc.assert(
      fc.property(cases, fc.nat(400), ({ text, needle }, from) => {
        expect(findText(text, needle)).toBe(text.indexOf(needle));
        expect(findText(text, needle, from)).toBe(text.indexOf(needle, from));
        expect(containsText(text, needle)).toBe(text.includes(needle));
        expect(countText(text, needle)).toBe(text.split(needle).length - 1);
        expect(splitText(text, needle)).toEqual(text.split(needle));
        expect(replaceText(text, needle, "$&")).toBe(text.replaceAll(needle, () => "$&"));
      }),
      { numRuns: 700 },
    );
  });

  test("finds every part of a Fibonacci word where the engine finds it", () => {
    const short = word.slice(0, 400);
    for (let start = 0; start < 300; start += 7) {
      for (let end = start + 65; end <= 400; end += 13) {
        const needle = short.slice(start, end);
        expect(findText(short, needle)).toBe(short.indexOf(needle));
        expect(findText(short, needle, start + 1)).toBe(short.indexOf(needle, start + 1));
        expect(findText(short, `${needle}b`)).toBe(short.indexOf(`${needle}b`));
      }
    }
  });

  test.each(hardCases)("reads linearly many characters for needles %s", (_what, {
    text,
    needle,
  }) => {
    const charsMax = 3 * (text.length + needle.length);
    const longest = Math.max(
      countChars((charge) => findText(text, needle, 0, charge)),
      countChars((charge) => containsText(text, needle, charge)),
      countChars((charge) => countText(text, needle, charge)),
      countChars((charge) => splitText(text, needle, charge)),
      countChars((charge) => replaceText(text, needle, "", charge)),
    );
    expect(longest).toBeGreaterThan(needle.length);
    expect(longest).toBeLessThanOrEqual(charsMax);
  });

  test("leaves only short needles to the engine, which is slow for longer ones", () => {
    const spies = (["indexOf", "includes", "split", "replaceAll"] as const).map((name) =>
      spyOn(String.prototype, name),
    );
    try {
      for (const [, { text, needle }] of hardCases) {
        findText(text, needle);
        containsText(text, needle);
        countText(text, needle);
        splitText(text, needle);
        replaceText(text, needle, "");
      }
      const given = spies.flatMap(({ mock }) =>
        mock.calls.map(([wanted]) => String(wanted).length),
      );
      expect(Math.max(...given)).toBe(64);
    } finally {
      for (const spy of spies) spy.mockRestore();
    }
  });

  test("reads no more than the text once for many short needles in it", () => {
    const text = "ab".repeat(20_000);
    expect(countChars((charge) => countText(text, "ab", charge))).toBe(text.length);
    expect(countChars((charge) => splitText(text, "ab", charge))).toBe(text.length);
  });

  test("stops when the budget is spent", () => {
    const stop = () => {
      throw new RangeError("spent");
    };
    const needle = "a".repeat(100);
    for (const search of [countText, splitText, containsText]) {
      expect(() => search(needle, needle, stop)).toThrow("spent");
      expect(() => search(needle, "a", stop)).toThrow("spent");
    }
    expect(() => findText(needle, "a", 0, stop)).toThrow("spent");
    expect(() => replaceText(needle, "a", "", stop)).toThrow("spent");
  });
});
