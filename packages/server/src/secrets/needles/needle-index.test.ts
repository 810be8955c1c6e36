import { expect, test } from "bun:test";
import { createNeedleIndex, type IndexedText, searchNeedles } from "./needle-index.ts";

/** The matches of each text, and the number of steps. */
function search(text: string, list: readonly IndexedText[], from = 0, to = text.length) {
  const found: string[] = [];
  const options = { index: createNeedleIndex(list), list, stepsMax: Number.POSITIVE_INFINITY };
  const steps = searchNeedles(text, { from, to }, options, (needle, start) => {
    found.push(`${list[needle]?.text}@${start}`);
    return 0;
  });
  return { found: found.toSorted(), steps };
}

const exact = (text: string): IndexedText => ({ text, ignoreCase: false });
const folded = (text: string): IndexedText => ({ text, ignoreCase: true });

test.each([
  ["of one character", "a", ["a@0", "a@5"]],
  ["of two characters", "ab", ["ab@0", "ab@5"]],
  ["of three characters", "abc", ["abc@0", "abc@5"]],
])("A text %s is found in its exact case, or in any case if case is ignored", (_, text, places) => {
  expect(search("abcABabc", [exact(text)]).found).toEqual(places);
  const shouted = text.toUpperCase();
  expect(search(`-${shouted}-`, [exact(text)]).found).toEqual([]);
  expect(search(`-${shouted}-`, [folded(text)]).found).toEqual([`${text}@1`]);
});

test("Letters that fold to ASCII letters are found if case is ignored", () => {
  expect(search("-\u212aey-", [folded("key")]).found).toEqual(["key@1"]);
  expect(search("-\u212aey-", [exact("key")]).found).toEqual([]);
});

test("Texts of all lengths are found together, also overlapping ones", () => {
  const list = [exact("aa"), exact("aaa"), folded("aaaa"), exact("x".repeat(40))];
  const text = `aaaa${"x".repeat(41)}`;
  expect(search(text, list).found).toEqual([
    ...["aa@0", "aa@1", "aa@2", "aaa@0", "aaa@1", "aaaa@0"],
    ...[`${"x".repeat(40)}@4`, `${"x".repeat(40)}@5`],
  ]);
});

test("A text is found once at every place, also across the middle", () => {
  for (const needle of [exact("abc"), folded("abcdefghij"), exact("ab".repeat(30))]) {
    for (let before = 0; before < 80; before += 1) {
      const text = "-".repeat(before) + needle.text + "-".repeat(70);
      const { found } = search(text, [needle, exact("other")]);
      expect(found).toEqual([`${needle.text}@${before}`]);
    }
  }
});

test("A text that is only partly in the searched range is not found", () => {
  for (const needle of [exact("ab"), exact("abcdef")]) {
    const text = `${needle.text}-${needle.text}-${needle.text}`;
    const size = needle.text.length;
    const { found } = search(text, [needle], 1, text.length - 1);
    expect(found).toEqual([`${needle.text}@${size + 1}`]);
    const toEnd = search(text, [needle], 1).found;
    expect(toEnd).toEqual(
      [`${needle.text}@${size + 1}`, `${needle.text}@${2 * size + 2}`].toSorted(),
    );
    const fromStart = search(text, [needle], 0, text.length - 1).found;
    expect(fromStart).toEqual([`${needle.text}@0`, `${needle.text}@${size + 1}`]);
  }
});

test("Without texts to find, the search takes no steps", () => {
  expect(search("some text", [])).toEqual({ found: [], steps: 0 });
});
