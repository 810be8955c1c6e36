import { expect, test } from "bun:test";
import { foldCase } from "./fold-case.ts";

test.each([
  ["HUNTER2", "hunter2"],
  ["GEHEIMNIS ÄÖÜ", "geheimnis äöü"],
  ["ΣΊΣΥΦΟΣ", "σίσυφοσ"],
  ["σίσυφος", "σίσυφοσ"],
  ["\u212A", "k"],
  ["𐐀", "𐐨"],
  ["пароль", "ПАРОЛЬ".toLowerCase()],
])("Case folding converts %s", (text, folded) => {
  expect(foldCase(text)).toBe(folded);
});

test("Case folding keeps every index, even if lower case is longer", () => {
  for (const text of ["İstanbul", "ßẞ", "ŉ", "ﬁ", "ΐ", "\ud800x", "x\udc00", "İ".repeat(9)]) {
    expect(foldCase(text)).toHaveLength(text.length);
  }
  expect("İ".toLowerCase()).toHaveLength(2);
});

test("Folding twice gives the same text as folding once", () => {
  for (let code = 0; code < 0x20000; code += 1) {
    const folded = foldCase(String.fromCodePoint(code));
    if (foldCase(folded) !== folded) throw new Error(`U+${code.toString(16)} folds on`);
  }
});
