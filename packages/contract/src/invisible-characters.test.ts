/** Protects: a script that a person approves reads as it runs. */
import { expect, test } from "bun:test";
import { escapeInvisible } from "./invisible-characters.ts";

test.each([
  ["a mark of direction", "if (ok /*\u202e } \u2066*/", "if (ok /*\\u202e } \\u2066*/"],
  ["a name with a blank letter", "const \u3164 = 1", "const \\u3164 = 1"],
  ["a line end of its own", "// calls nothing\u2028call(a)", "// calls nothing\\u2028call(a)"],
  ["a carriage return", "a\rb", "a\\u000db"],
  ["a line end of old systems", "a\u0085b", "a\\u0085b"],
  ["a zero-width space", "a\u200bb\ufeff", "a\\u200bb\\ufeff"],
  ["a tag", "a\u{e0041}", "a\\udb40\\udc41"],
  [
    "marks that cover others",
    `1${"\u0336".repeat(10)}00`,
    `1${"\u0336".repeat(8)}\\u0336\\u033600`,
  ],
  ["variations without an emoji", "a\ufe0f", "a\\ufe0f"],
])("Shows %s", (_, text, shown) => {
  expect(escapeInvisible(text)).toBe(shown);
});

test("Leaves lines, tabs, letters of all scripts and emoji as they are", () => {
  const text = "const ü = 1;\n\treturn '漢字 עברית שָּׁ֔ ကျွန်ုပ် ཀྵྨླྺྱཾ \u0600٤ ✔️'";
  expect(escapeInvisible(text)).toBe(text);
});

test("Escapes in a JSON text show invisible characters, and leave its value", () => {
  const value = { "k\u202E": ["a\u200b\u{e0041}\u0085\u2028\u2800\n", "❤\ufe0f a\ufe0f \ud83d"] };
  const json = escapeInvisible(JSON.stringify(value));
  expect(json).toBe(
    '{"k\\u202e":["a\\u200b\\udb40\\udc41\\u0085\\u2028\\u2800\\n","❤\ufe0f a\\ufe0f \\ud83d"]}',
  );
  expect(JSON.parse(json)).toEqual(value);
});
