/** Protects: a text from outside cannot hide a part of itself from people, or show in another order. */
import { expect, test } from "bun:test";
import { stripInvisible } from "./strip-invisible.ts";

const toText = (...codes: number[]) => String.fromCodePoint(...codes);
const span = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => String.fromCodePoint(from + at));

test.each<[name: string, characters: string[]]>([
  ["C0 controls", [...span(0, 8), ...span(0x0e, 0x1f)]],
  ["delete and C1 controls", [...span(0x7f, 0x84), ...span(0x86, 0x9f)]],
  ["marks of direction", ["\u061c", "\u200e", "\u200f", ...span(0x202a, 0x202e)]],
  ["isolates", span(0x2066, 0x2069)],
  ["zero-width characters", ["\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u034f"]],
  [
    "invisible operators and deprecated formats",
    [...span(0x2061, 0x2065), ...span(0x206a, 0x206f)],
  ],
  ["Mongolian selectors", span(0x180b, 0x180f)],
  ["annotations", span(0xfff9, 0xfffb)],
  ["variation selectors after a letter", span(0xfe00, 0xfe0f)],
  ["supplementary variation selectors", span(0xe0100, 0xe01ef)],
  ["tags", [toText(0xe0001), ...span(0xe0020, 0xe007f)]],
  ["the rest of the plane of tags", [toText(0xe0000), toText(0xe0002), toText(0xe0fff)]],
  ["musical and shorthand formats", [...span(0x1d173, 0x1d17a), ...span(0x1bca0, 0x1bca3)]],
  ["halves of surrogate pairs", ["\ud83d", "\ude00", "\ud800", "\udfff"]],
])("Invisible characters are removed: %s", (_, characters) => {
  for (const one of characters) {
    expect(stripInvisible(`a${one}b`)).toBe("ab");
    expect(stripInvisible(`a${one}b`, { keepsLines: true })).toBe("ab");
    expect(stripInvisible(one.repeat(3))).toBe("");
  }
});

test("A text is one line, and words that a line end or a tab separates do not join", () => {
  const text = "a\nb\r\nc\rd\te\vf\fg\u0085h\u2028i\u2029j";
  expect(stripInvisible(text)).toBe("a b c d e f g h i j");
  expect(stripInvisible(text, { keepsLines: true })).toBe("a\nb\nc\nd\te\nf\ng\nh\ni\nj");
});

test("Letters that show as a blank are spaces, so that a name of them is empty", () => {
  for (const blank of ["\u2800", "\u3164", "\u115f", "\u1160", "\uffa0"]) {
    expect(stripInvisible(`a${blank}b`)).toBe("a b");
    expect(stripInvisible(`a${blank}b`, { keepsLines: true })).toBe("a b");
    expect(stripInvisible(blank).trim()).toBe("");
  }
});

test("An emoji keeps the one variation selector that says whether it has colours", () => {
  expect(stripInvisible("❤\ufe0f 1\ufe0f\u20e3 ☎\ufe0e")).toBe("❤\ufe0f 1\ufe0f\u20e3 ☎\ufe0e");
  expect(stripInvisible("❤\ufe0f\ufe0f\ufe0e\ufe00\u{e0101}!")).toBe("❤\ufe0f!");
  expect(stripInvisible("❤\u200b\ufe0f")).toBe("❤\ufe0f");
});

test("Of marks on one letter eight stay, so that they cover nothing beside them", () => {
  const marks = "\u0336\u200b".repeat(20);
  expect(stripInvisible(`1${marks}00`)).toBe(`1${"\u0336".repeat(8)}00`);
});

test.each([
  "Grüße, Ægir! ¿Qué tal?",
  "日本語 中文 한국어 ไทย हिन्दी עברית العربية ქართული",
  "e\u0301 café 😀 👍🏽 🇩🇪 𝒜",
  "\u00a0 « 1 200 » … – — “x”",
  "\ufffd {{.Event}} <b> *x* `y`",
  "",
])("Other texts stay as they are: %p", (text) => {
  expect(stripInvisible(text)).toBe(text);
  expect(stripInvisible(text, { keepsLines: true })).toBe(text);
});

test("A removal leaves nothing that a second one would remove", () => {
  const parts = [
    "\ud83d",
    "\ude00",
    "\u200d",
    "❤",
    "\ufe0f",
    "\u202e",
    "a",
    "\r",
    "\n",
    "\u{e0041}",
  ];
  for (const a of parts)
    for (const b of parts)
      for (const c of parts) {
        const once = stripInvisible(a + b + c);
        expect(stripInvisible(once)).toBe(once);
        expect(once.isWellFormed()).toBe(true);
        const lines = stripInvisible(a + b + c, { keepsLines: true });
        expect(stripInvisible(lines, { keepsLines: true })).toBe(lines);
      }
});
