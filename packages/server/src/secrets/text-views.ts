import type { Span } from "./token-format.ts";
import {
  type EscapeKind,
  escapeKinds,
  marksOf,
  type PlainUnits,
  quotedPrintable,
} from "./unescape.ts";

/**
 * A text after some decoding, with the positions in the original text. It contains only the parts
 * near a change; elsewhere it equals the original.
 */
export type View = {
  text: string;
  /** The parts of the view's text, as pairs of start and end. */
  windows: readonly number[];
  /** The span of the original text that became this span of the view. */
  toSource(span: Span): Span;
};

/** Counts the characters that are read, so that tests can show linear work without a clock. */
export type Work = { steps: number };

type ViewOptions = {
  /**
   * The length of the longest needle. A match that an escape affects cannot reach farther from it.
   */
  needleCharsMax: number;
  work: Work;
};

/** The number of nested encodings that are decoded. */
const layersMax = 3;
/** Limits the sequences of three kinds of escapes, which an attacker could use to cost time. */
const thirdLayersMax = 8;

/**
 * Yields the text, then the text with up to three layers of escapes decoded, each also with its
 * lines joined. One kind of escape is decoded at a time, in every order, because a secret may
 * contain apparent escapes of another kind. Views are made one at a time, because each may be as
 * large as the text.
 */
export function* toViews(text: string, options: ViewOptions): Generator<View> {
  const original: View = { text, windows: [0, text.length], toSource: (span) => span };
  yield* withRemovals(original, options);
  for (const view of toLayers(original, options)) yield* withRemovals(view, options);
  const lines = undoEscapes(original, quotedPrintable, options);
  if (lines === null) return;
  yield* withRemovals(lines, options);
  yield* toLayers(lines, { ...options, layersMax: 1 });
}

/** The forms of a secret after layers of apparent escapes in it are decoded. */
export function decodeLayers(text: string): string[] {
  if (!/[\\%&]/.test(text)) return [text];
  const original: View = { text, windows: [0, text.length], toSource: (span) => span };
  const options = { needleCharsMax: text.length, work: { steps: 0 } };
  return [text, ...[...toLayers(original, options)].map((view) => view.text)];
}

function* toLayers(original: View, options: ViewOptions & { layersMax?: number }): Generator<View> {
  const kinds = escapeKinds.filter(({ mark }) => original.text.includes(mark));
  if (kinds.length === 0) return;
  // Most orders give the same text.
  const seen = new Set([original.text]);
  let thirdLayers = 0;
  function* descend(view: View, depth: number): Generator<View> {
    // Decoding can produce marks of every kind.
    for (const kind of depth === 1 ? kinds : escapeKinds) {
      if (depth === layersMax && thirdLayers === thirdLayersMax) return;
      const decoded = undoEscapes(view, kind, options);
      if (decoded === null || seen.has(decoded.text)) continue;
      if (depth === layersMax) thirdLayers += 1;
      seen.add(decoded.text);
      yield decoded;
      if (depth < (options.layersMax ?? layersMax)) yield* descend(decoded, depth + 1);
    }
  }
  yield* descend(original, 1);
}

function* withRemovals(view: View, options: ViewOptions): Generator<View> {
  yield view;
  const joined = removeBreaks(view, options);
  if (joined !== null) yield joined;
}

/** The view with the escapes of one kind decoded; null if it has none. */
function undoEscapes(view: View, kind: EscapeKind, options: ViewOptions): View | null {
  return rewrite(view, options, {
    find: (from) => kind.find(view.text, from),
    marks: kind.marks,
    read: (start, end, plain) => kind.read(view.text, start, end, plain),
  });
}

/** The view without line breaks, the indentation after them, and characters without width. */
export function removeBreaks(view: View, options: ViewOptions): View | null {
  const { text } = view;
  // The next index of each character, searched again only after it has passed.
  const places = removedTexts
    .map((removed) => ({ removed, at: text.indexOf(removed) }))
    .filter(({ at }) => at !== -1);
  if (places.length === 0) return null;
  const isWhole = view.windows.length === 2 && view.windows[1] === text.length;
  if (isWhole) return removeNatively(view, options, places.map(({ removed }) => removed).join(""));
  return rewrite(view, options, {
    find(from) {
      let first = -1;
      for (const place of places) {
        if (place.at !== -1 && place.at < from) place.at = text.indexOf(place.removed, from);
        if (place.at !== -1 && (first === -1 || place.at < first)) first = place.at;
      }
      return first;
    },
    marks: removedMarks,
    read(start, end, plain) {
      const isBreak = text.charCodeAt(start) < 0x20;
      let at = start + 1;
      while (isBreak && at < end && isBlank(text.charCodeAt(at))) at += 1;
      plain.count = 0;
      return at - start;
    },
  });
}

/** A faster variant for a whole text. The positions in the original are computed on first use. */
function removeNatively(view: View, { work }: ViewOptions, present: string): View {
  const pattern = /[^\r\n]/.test(present)
    ? /[\r\n][\t-\r ]*|[\u00ad\u200b-\u200f\u2060\ufeff]/g
    : /[\r\n][\t-\r ]*/g;
  const text = view.text.replace(pattern, "");
  work.steps += view.text.length;
  let edits: ReturnType<typeof createEdits> | null = null;
  const listEdits = () => {
    const list = createEdits();
    list.add(0, 0, 0, 0);
    let removed = 0;
    for (const { 0: part, index } of view.text.matchAll(pattern)) {
      list.add(index - removed, index - removed, index, index + part.length);
      removed += part.length;
    }
    work.steps += view.text.length;
    return list;
  };
  return {
    text,
    windows: [0, text.length],
    toSource(span) {
      edits ??= listEdits();
      return view.toSource({ start: edits.mapStart(span.start), end: edits.mapEnd(span.end) });
    },
  };
}

const removedTexts = [..."\n\r\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"];
const removedMarks = marksOf(removedTexts.join(""));

/** Line breaks, spaces and tabs. */
function isBlank(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d);
}

type Rewriting = {
  /** The next index that may need a rewrite, or -1. */
  find(from: number): number;
  /** A table by UTF-16 unit: 1 if a rewrite can begin with it. */
  marks: Uint8Array;
  /** Writes the replacement to `plain`. Returns the number of characters to replace, 0 for none. */
  read(start: number, end: number, plain: PlainUnits): number;
};

/** Rewrites the parts of a view near a change. Returns null if nothing changed. */
function rewrite(view: View, { needleCharsMax, work }: ViewOptions, how: Rewriting): View | null {
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

/**
 * Maps positions of a rewritten text to the original: each entry has the start and end in the new
 * and in the old text. An entry of length 0 begins a window.
 */
function createEdits() {
  let numbers = new Uint32Array(64);
  let count = 0;
  /** The last entry that starts at or before an index of the new text. */
  const find = (index: number): number => {
    let low = 0;
    let high = count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((numbers[middle * 4] ?? 0) <= index) low = middle + 1;
      else high = middle;
    }
    return Math.max(low - 1, 0) * 4;
  };
  return {
    add(start: number, end: number, oldStart: number, oldEnd: number): void {
      if (count * 4 === numbers.length) {
        const larger = new Uint32Array(numbers.length * 2);
        larger.set(numbers);
        numbers = larger;
      }
      const at = count * 4;
      numbers[at] = start;
      numbers[at + 1] = end;
      numbers[at + 2] = oldStart;
      numbers[at + 3] = oldEnd;
      count += 1;
    },
    mapStart(index: number): number {
      const at = find(index);
      const end = numbers[at + 1] ?? 0;
      return index < end ? (numbers[at + 2] ?? 0) : (numbers[at + 3] ?? 0) + (index - end);
    },
    mapEnd(index: number): number {
      // The last entry that is before the last character or contains it.
      const at = find(index - 1);
      const end = numbers[at + 1] ?? 0;
      return index <= end ? (numbers[at + 3] ?? 0) : (numbers[at + 3] ?? 0) + (index - end);
    },
  };
}
