import type { Unjoined, View, ViewOptions } from "./view.ts";
import { createEdits } from "./view-edits.ts";

/**
 * Joins the lines of a view: removes line breaks, the indentation after them, and characters
 * without width. Returns null if the view has none of them. The positions in the view are computed
 * on first use.
 */
export function joinLines(view: View, { work }: Pick<ViewOptions, "work">): View | null {
  const present = removedTexts.filter((removed) => view.text.includes(removed));
  if (present.length === 0) return null;
  const pattern = present.some((removed) => !/[\r\n]/.test(removed)) ? anyRemoved : breaks;
  const parts: string[] = [];
  const windows: number[] = [];
  let size = 0;
  for (const part of listWindows(view)) {
    const joined = part.replace(pattern, "");
    parts.push(joined);
    windows.push(size, size + joined.length);
    size += joined.length;
  }
  work.steps += view.text.length;
  let edits: ReturnType<typeof createEdits> | null = null;
  const toSpan: Unjoined["toSpan"] = ({ start, end }) => {
    if (edits === null) {
      edits = listEdits(view, pattern);
      work.steps += view.text.length;
    }
    return { start: edits.mapStart(start), end: edits.mapEnd(end) };
  };
  return {
    text: parts.join(""),
    windows,
    toSource: (span) => view.toSource(toSpan(span)),
    unjoined: { view, toSpan },
  };
}

/**
 * Whether joining lines can remove a part of a text. If not, each occurrence of the text on one
 * line is also in the joined lines.
 */
export function hasRemovable(text: string): boolean {
  return /^[\t-\r ]|[\r\n\u00ad\u200b-\u200f\u2060\ufeff]/.test(text);
}

const removedTexts = [..."\n\r\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"];
const breaks = /[\r\n][\t-\r ]*/g;
const anyRemoved = /[\r\n][\t-\r ]*|[\u00ad\u200b-\u200f\u2060\ufeff]/g;

/** The texts of a view's windows. They are joined one by one, because they are not neighbours. */
function listWindows({ text, windows }: View): string[] {
  const parts: string[] = [];
  for (let pair = 0; pair < windows.length; pair += 2) {
    parts.push(text.slice(windows[pair], windows[pair + 1]));
  }
  return parts;
}

function listEdits(view: View, pattern: RegExp): ReturnType<typeof createEdits> {
  const edits = createEdits();
  let removed = 0;
  let from = 0;
  for (const part of listWindows(view)) {
    edits.add(from - removed, from - removed, from, from);
    for (const {
      0: { length },
      index,
    } of part.matchAll(pattern)) {
      const at = from + index;
      edits.add(at - removed, at - removed, at, at + length);
      removed += length;
    }
    from += part.length;
  }
  return edits;
}
