import { describe, expect, test } from "bun:test";
import {
  breakLine,
  findLine,
  indentLines,
  outdentLines,
  type TextEdit,
} from "./edit-script-text.ts";

/** Reads a text with its selection between `[` and `]`, or its cursor at `|`. */
function read(given: string) {
  const start = given.search(/[|«]/);
  const end = given.includes("»") ? given.indexOf("»") - 1 : start;
  return { text: given.replace(/[|«»]/g, ""), start, end };
}

function show(text: string, { from, to, insert, start, end }: TextEdit): string {
  const next = text.slice(0, from) + insert + text.slice(to);
  if (start === end) return `${next.slice(0, start)}|${next.slice(start)}`;
  return `${next.slice(0, start)}«${next.slice(start, end)}»${next.slice(end)}`;
}

const edit = (given: string, change: typeof indentLines) => {
  const selected = read(given);
  return show(selected.text, change(selected));
};

describe("The text of a code node", () => {
  test("Tab indents at the cursor, or the selected lines without the empty ones", () => {
    expect(edit("a|b", indentLines)).toBe("a  |b");
    expect(edit("x\n«a\n\nb\n»c", indentLines)).toBe("x\n  «a\n\n  b\n»c");
  });

  test("Shift+Tab takes one step of indentation from each selected line", () => {
    expect(edit("    a|", outdentLines)).toBe("  a|");
    expect(edit("  «a\n b\nc»", outdentLines)).toBe("«a\nb\nc»");
    expect(edit("|a", outdentLines)).toBe("|a");
  });

  test("Enter keeps the indentation, and goes deeper after an opening bracket", () => {
    expect(edit("  a|", breakLine)).toBe("  a\n  |");
    expect(edit("if (a) {|", breakLine)).toBe("if (a) {\n  |");
    expect(edit("  f({|})", breakLine)).toBe("  f({\n    |\n  })");
    expect(edit("|", breakLine)).toBe("\n|");
  });

  test("The line of an error is the one that its message names", () => {
    expect(findLine("SyntaxError in line 3: unexpected token")).toBe(3);
    expect(findLine("The deadline 3 has passed.")).toBeNull();
    expect(findLine(null)).toBeNull();
  });
});
