/** Protects: an approver, on a page and in the form of a client, sees each character that would run. */
import { expect, test } from "bun:test";
import { showText } from "./show-params.ts";

const cases: Record<string, [text: string, shown: string]> = {
  "a change of direction": ["a\u202Eb", "a[U+202E]b"],
  "a character of a text hidden in tags": ["a\u{E0041}b", "a[U+E0041]b"],
  "a character of a text hidden in variation selectors": ["a\u{E0101}b", "a[U+E0101]b"],
  "a variation selector behind a letter": ["a\uFE0Fb", "a[U+FE0F]b"],
  "a letter that shows as a blank": ["a\u3164b", "a[U+3164]b"],
  "a joiner of marks": ["a\u034Fb", "a[U+034F]b"],
  "half of a pair": ["a\uD800b", "a[U+D800]b"],
  "marks that cover others": [`a${"\u0301".repeat(9)}`, `a${"\u0301".repeat(8)}[U+0301]`],
  "line feeds, tabs and emoji": ["a\n\tb \u2764\uFE0F", "a\n\tb \u2764\uFE0F"],
};

for (const [name, [text, shown]] of Object.entries(cases)) {
  test(`What is shown of ${name}`, () => {
    expect(showText(text)).toBe(shown);
  });
}
