import { describe, expect, test } from "bun:test";
import { hasRemovable, joinLines } from "./join-lines.ts";
import { createView } from "./view.ts";

const join = (text: string) => joinLines(createView(text), { work: { steps: 0 } });

describe("joinLines", () => {
  test("Line breaks and the indentation after them are removed", () => {
    const joined = join("ab\r\n  cd\n\n\tef\ngh");
    expect(joined?.text).toBe("abcdefgh");
    expect(joined?.toSource({ start: 1, end: 3 })).toEqual({ start: 1, end: 7 });
    expect(joined?.toSource({ start: 2, end: 4 })).toEqual({ start: 6, end: 8 });
  });

  test("Characters without width are removed", () => {
    expect(join("a\u200bb\u00adc\ufeff\u2060d\u200d")?.text).toBe("abcd");
    expect(join("a\u200eb\n c\u200fd")?.text).toBe("abcd");
  });

  test("A text of one line is not joined", () => {
    expect(join("ab  cd")).toBeNull();
  });

  test("Windows are joined one by one, and each position maps to the view and to the source", () => {
    const text = "ab\n cd\n  ef";
    const view = {
      ...createView(text),
      windows: [0, 3, 3, 7, 7, 11],
      toSource: ({ start, end }: { start: number; end: number }) => ({
        start: start + 100,
        end: end + 100,
      }),
    };
    const joined = joinLines(view, { work: { steps: 0 } });
    expect(joined?.text).toBe("ab cd  ef");
    expect(joined?.windows).toEqual([0, 2, 2, 5, 5, 9]);
    const source = (part: string) => {
      const start = joined?.text.indexOf(part) ?? -1;
      const span = { start, end: start + part.length };
      return [joined?.unjoined?.toSpan(span), joined?.toSource(span)];
    };
    expect(source("ab")).toEqual([
      { start: 0, end: 2 },
      { start: 100, end: 102 },
    ]);
    expect(source(" cd")).toEqual([
      { start: 3, end: 6 },
      { start: 103, end: 106 },
    ]);
    expect(source("  ef")).toEqual([
      { start: 7, end: 11 },
      { start: 107, end: 111 },
    ]);
  });
});

test("A text has a removable part if joining lines alters it, alone or after a line break", () => {
  const characters = ["a", " ", "\t", "\v", "\f", "\r", "\n", "\u00ad", "\u200b", "\u200f"];
  characters.push("\u2060", "\ufeff", "\u2028", "\u00a0");
  for (const first of characters) {
    for (const second of characters) {
      for (const third of characters) {
        const text = first + second + third;
        const isAltered = ["", "\n", "\r\n "].some((before) => {
          const lines = `-${before}${text}-`;
          return !(join(lines)?.text ?? lines).endsWith(`-${text}-`);
        });
        expect([text, hasRemovable(text)]).toEqual([text, isAltered]);
      }
    }
  }
});
