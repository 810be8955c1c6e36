/** A text with its selection. */
export type Selected = { text: string; start: number; end: number };

/** Replaces the part between `from` and `to`, and selects a part of the result. */
export type TextEdit = { from: number; to: number; insert: string; start: number; end: number };

const indent = "  ";

/** The indentation of the selected lines, one step deeper. A cursor alone gets it where it is. */
export function indentLines({ text, start, end }: Selected): TextEdit {
  if (start === end) {
    const at = start + indent.length;
    return { from: start, to: end, insert: indent, start: at, end: at };
  }
  return changeLines({ text, start, end }, (line) => (line === "" ? line : indent + line));
}

/** The indentation of the selected lines, one step less deep. */
export function outdentLines(selected: Selected): TextEdit {
  return changeLines(selected, (line) => line.replace(/^(?: {1,2}|\t)/, ""));
}

/** A new line with the indentation of this one, one step deeper after an opening bracket. */
export function breakLine({ text, start, end }: Selected): TextEdit {
  const line = text.slice(findLineStart(text, start), start);
  const before = /^[ \t]*/.exec(line)?.[0] ?? "";
  const isOpen = /[{[(]\s*$/.test(line);
  const insert = `\n${before}${isOpen ? indent : ""}`;
  const isClosed = isOpen && /^[}\])]/.test(text.slice(end, end + 1));
  const at = start + insert.length;
  return {
    from: start,
    to: end,
    insert: isClosed ? `${insert}\n${before}` : insert,
    start: at,
    end: at,
  };
}

function changeLines({ text, start, end }: Selected, change: (line: string) => string): TextEdit {
  const from = findLineStart(text, start);
  // A selection that ends at the start of a line does not include it.
  const last = end > start && text[end - 1] === "\n" ? end - 1 : end;
  const next = text.indexOf("\n", last);
  const to = next < 0 ? text.length : next;
  const lines = text.slice(from, to).split("\n");
  const changed = lines.map(change);
  const insert = changed.join("\n");
  const byFirst = (changed[0]?.length ?? 0) - (lines[0]?.length ?? 0);
  return {
    from,
    to,
    insert,
    start: Math.max(from, start + byFirst),
    end: Math.max(from, end + insert.length - (to - from)),
  };
}

function findLineStart(text: string, at: number): number {
  return text.lastIndexOf("\n", at - 1) + 1;
}

/** The number of the line that a message names, such as "line 3" or "3:14"; null without one. */
export function findLine(message: string | null): number | null {
  const found = /\bline (\d{1,6})\b/i.exec(message ?? "")?.[1];
  return found === undefined ? null : Number(found);
}
