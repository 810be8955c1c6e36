import type { PlainUnits } from "./unescape.ts";
import type { View, ViewOptions } from "./view.ts";
import { createEdits } from "./view-edits.ts";

export type Rewriting = {
  /** The next index that may need a rewrite, or -1. */
  find(from: number): number;
  /** A table by UTF-16 unit: 1 if a rewrite can begin with it. */
  marks: Uint8Array;
  /** Writes the replacement to `plain`. Returns the number of characters to replace, 0 for none. */
  read(start: number, end: number, plain: PlainUnits): number;
};

/** Rewrites the parts of a view near a change. Returns null if nothing changed. */
export function rewriteView(
  view: View,
  { needleCharsMax, work }: ViewOptions,
  how: Rewriting,
): View | null {
  const { text } = view;
  let next = how.find(0);
  if (next === -1) return null;
  const edits = createEdits();
  const windows: number[] = [];
  const plain: PlainUnits = { count: 0, first: 0, second: 0 };
  /** Rewritten in place: the new text is never longer, so writing never passes reading. */
  let units = new Uint16Array(0);
  let size = 0;
  let writtenTo = 0;
  for (let pair = 0; pair < view.windows.length && next !== -1; pair += 2) {
    const from = view.windows[pair] ?? 0;
    const to = view.windows[pair + 1] ?? 0;
    if (next < from) next = how.find(from);
    let changedTo = from;
    while (next !== -1 && next < to) {
      work.steps += 1;
      if (how.read(next, to, plain) === 0) {
        next = how.find(next + 1);
        continue;
      }
      if (units.length === 0) units = toUnits(text);
      const windowStart = size;
      let at = Math.max(changedTo, next - needleCharsMax);
      // The last window was read further than it reaches, so it may have overwritten these units.
      for (let index = at; index < writtenTo; index += 1) units[index] = text.charCodeAt(index);
      work.steps -= at;
      edits.add(size, size, at, at);
      let changedSize = size;
      // Two windows that touch become one.
      let stop = Math.min(to, next + 2 * needleCharsMax);
      while (at < stop) {
        let plainEnd = movePlain(units, at, Math.min(stop, at + nearChars), how.marks, size);
        size += plainEnd - at;
        at = plainEnd;
        if (at >= stop) break;
        if (how.marks[text.charCodeAt(at)] === 0) {
          const found = how.find(at);
          plainEnd = found === -1 ? stop : Math.min(stop, found);
          units.copyWithin(size, at, plainEnd);
          size += plainEnd - at;
          at = plainEnd;
          if (at >= stop) break;
        }
        const chars = how.read(at, to, plain);
        if (chars === 0) {
          units[size] = text.charCodeAt(at);
          size += 1;
          at += 1;
          continue;
        }
        if (plain.count > 0) units[size] = plain.first;
        if (plain.count > 1) units[size + 1] = plain.second;
        edits.add(size, size + plain.count, at, at + chars);
        size += plain.count;
        at += chars;
        stop = Math.min(to, at + 2 * needleCharsMax);
        changedSize = size;
        changedTo = at;
      }
      work.steps += at;
      writtenTo = size;
      // The text after the last change counts as far as a needle can reach.
      size = Math.min(size, changedSize + needleCharsMax);
      windows.push(windowStart, size);
      next = how.find(at);
    }
  }
  if (windows.length === 0) return null;
  return {
    text: Buffer.from(units.buffer, 0, size * 2).toString("utf16le"),
    windows,
    toSource: (span) =>
      view.toSource({ start: edits.mapStart(span.start), end: edits.mapEnd(span.end) }),
    unjoined: null,
  };
}

/** Up to this distance, a loop finds the next mark faster than the native search. */
const nearChars = 24;

function toUnits(text: string): Uint16Array<ArrayBuffer> {
  const units = new Uint16Array(text.length);
  Buffer.from(units.buffer).write(text, "utf16le");
  return units;
}

/**
 * Copies the text before the next mark to the end of the new text. Returns the index where it
 * stopped.
 */
function movePlain(
  units: Uint16Array,
  from: number,
  to: number,
  marks: Uint8Array,
  size: number,
): number {
  let at = from;
  for (let target = size; at < to; at += 1, target += 1) {
    const unit = units[at] ?? 0;
    if (marks[unit] === 1) break;
    units[target] = unit;
  }
  return at;
}
