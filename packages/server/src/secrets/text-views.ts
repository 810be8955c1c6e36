import type { Span } from "./token-format.ts";
import {
  type EscapeKind,
  escapeKinds,
  marksOf,
  type PlainUnits,
  quotedPrintable,
} from "./unescape.ts";

/**
 * A text as it reads after some decoding, with the way back to where each stretch of it came from.
 * Of the text it holds only what stands near an escape: elsewhere it reads as before.
 */
export type View = {
  text: string;
  /** Stretches of the view's text, in pairs of start and end, that belong together. */
  windows: readonly number[];
  /** The stretch of the original text that reads as this stretch of the view. */
  toSource(span: Span): Span;
};

/** Counts characters looked at, so that linear work can be shown without a clock. */
export type Work = { steps: number };

type ViewOptions = {
  /** No needle is longer, so nothing farther from an escape is part of one that shows by it. */
  needleCharsMax: number;
  work: Work;
};

/** Encodings within encodings are undone this many times. */
const layersMax = 3;
/** Of the sequences of three kinds the first only: a forged text must not cost without end. */
const thirdLayersMax = 8;

/**
 * The text itself, then with up to three layers of escapes undone, each as it is and with its lines
 * joined. The kinds are undone one at a time and in every order: a secret may hold what would be an
 * escape of another kind. One view at a time is made, since each may be as large as the text.
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

/** The forms a secret itself takes when layers of what looks like escapes in it are undone. */
export function decodeLayers(text: string): string[] {
  if (!/[\\%&]/.test(text)) return [text];
  const original: View = { text, windows: [0, text.length], toSource: (span) => span };
  const options = { needleCharsMax: text.length, work: { steps: 0 } };
  return [text, ...[...toLayers(original, options)].map((view) => view.text)];
}

function* toLayers(original: View, options: ViewOptions & { layersMax?: number }): Generator<View> {
  const kinds = escapeKinds.filter(({ mark }) => original.text.includes(mark));
  if (kinds.length === 0) return;
  // Most orders come to the same.
  const seen = new Set([original.text]);
  let thirdLayers = 0;
  function* descend(view: View, depth: number): Generator<View> {
    // What is undone can bring marks of any kind.
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

/** The view with the escapes of one kind undone; null when it has none. */
function undoEscapes(view: View, kind: EscapeKind, options: ViewOptions): View | null {
  return rewrite(view, options, {
    find: (from) => view.text.indexOf(kind.mark, from),
    marks: kind.marks,
    read: (start, end, plain) => kind.read(view.text, start, end, plain),
  });
}

/** A view without line breaks, the indentation after them, and characters that have no width. */
export function removeBreaks(view: View, options: ViewOptions): View | null {
  const { text } = view;
  // Where each of them stands next: looked for again only when it was passed.
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

/** The same for a whole text, which is faster; the way back is made when it is asked for first. */
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
  /** The next place from here that may be rewritten, or -1. */
  find(from: number): number;
  /** By UTF-16 unit, whether one that is rewritten can begin with it. */
  marks: Uint8Array;
  /** How many characters of the old text are rewritten, 0 for none; writes what they become. */
  read(start: number, end: number, plain: PlainUnits): number;
};

/** Rewrites a view near what there is to rewrite; null when nothing changed. */
function rewrite(view: View, { needleCharsMax, work }: ViewOptions, how: Rewriting): View | null {
  const { text } = view;
  let next = how.find(0);
  if (next === -1) return null;
  const edits = createEdits();
  const windows: number[] = [];
  const plain: PlainUnits = { count: 0, first: 0, second: 0 };
  /** Rewritten in place: the new text is never longer, so it stays behind what is read. */
  let units = new Uint16Array(0);
  let size = 0;
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
      work.steps -= at;
      edits.add(size, size, at, at);
      let changedSize = size;
      // Two windows that would touch become one.
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
      // What follows the last of them counts as far as a needle reaches.
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

/** The next mark is looked for so far in a loop of our own; beyond, the native search is faster. */
const nearChars = 24;

function toUnits(text: string): Uint16Array<ArrayBuffer> {
  const units = new Uint16Array(text.length);
  Buffer.from(units.buffer).write(text, "utf16le");
  return units;
}

/** Moves what stands before the next mark to where the new text ends; returns where it stopped. */
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
 * The way back from a rewritten text: for each rewritten stretch its start and end in the new text
 * and in the old one. A stretch of no length says where a window begins.
 */
function createEdits() {
  let numbers = new Uint32Array(64);
  let count = 0;
  /** The last stretch that starts at or before an index of the new text. */
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
      // The last stretch that lies before the last character, or holds it.
      const at = find(index - 1);
      const end = numbers[at + 1] ?? 0;
      return index <= end ? (numbers[at + 3] ?? 0) : (numbers[at + 3] ?? 0) + (index - end);
    },
  };
}
