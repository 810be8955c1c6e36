import type { Span } from "./token-format.ts";

/** A text as it reads after some decoding, with the way back to where each stretch of it came from. */
export type View = {
  text: string;
  /** The stretch of the original text that reads as this stretch of the view. */
  toSource(span: Span): Span;
};

/** Encodings within encodings are undone this many times. */
const layersMax = 3;
/** All sequences of two layers, and the first of three: a forged text must not cost without end. */
const viewsMax = 20;

/** What encoders do to a text, in any case of hex; percent-encoding of UTF-8 only. */
const jsonEscape = /\\(?:["'\\/bfnrt]|u[\dA-Fa-f]{4}|x[\dA-Fa-f]{2})/g;
const percentEscape =
  /%(?:[0-7][\dA-Fa-f]|[CDcd][\dA-Fa-f]%[89ABab][\dA-Fa-f]|[Ee][\dA-Fa-f](?:%[89ABab][\dA-Fa-f]){2}|[Ff][0-7](?:%[89ABab][\dA-Fa-f]){3})/g;
const htmlEscape = /&(?:amp|lt|gt|quot|apos|#\d{1,7}|#[Xx][\dA-Fa-f]{1,6});/g;
const escapes = [jsonEscape, percentEscape, htmlEscape];
/** A line break and the indentation after it. */
const lineBreaks = /[\r\n]+[ \t]*/g;

const named: Readonly<Record<string, string>> = {
  "\\b": "\b",
  "\\f": "\f",
  "\\n": "\n",
  "\\r": "\r",
  "\\t": "\t",
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&apos;": "'",
};

/**
 * The text itself, then with up to three layers of escapes undone. The kinds are undone one at a
 * time and in every order: a secret may hold what would be an escape of another kind.
 */
export function toViews(text: string, { plusIsSpace }: { plusIsSpace: boolean }): View[] {
  const original: View = { text, toSource: (span) => span };
  const views = toLayers(original);
  // Form encoding; a space for each plus, so every index stays.
  if (!plusIsSpace || !text.includes("+")) return views;
  return [...views, ...toLayers({ ...original, text: text.replaceAll("+", " ") })];
}

/** A view with its lines joined, as before something wrapped them; null when it has one line. */
export function joinLines(view: View): View | null {
  if (!/[\r\n]/.test(view.text)) return null;
  return rewrite(view, lineBreaks, () => "");
}

/** The forms a secret itself takes when layers of what looks like escapes in it are undone. */
export function decodeLayers(text: string): string[] {
  return toLayers({ text, toSource: (span) => span }).map((view) => view.text);
}

function toLayers(original: View): View[] {
  const views = [original];
  let layer = [original];
  for (let depth = 0; depth < layersMax && layer.length > 0; depth += 1) {
    const deeper: View[] = [];
    for (const view of layer) {
      for (const pattern of escapes) {
        const decoded = rewrite(view, pattern, decodeEscape);
        if (decoded === null || views.length >= viewsMax) continue;
        // Most orders come to the same.
        if (views.some((other) => other.text === decoded.text)) continue;
        views.push(decoded);
        deeper.push(decoded);
      }
    }
    layer = deeper;
  }
  return views;
}

function decodeEscape(encoded: string): string {
  const known = named[encoded];
  if (known !== undefined) return known;
  if (encoded.startsWith("%")) return decodePercent(encoded);
  if (encoded.startsWith("&")) {
    const isHex = encoded[2] === "x" || encoded[2] === "X";
    const code = Number.parseInt(encoded.slice(isHex ? 3 : 2, -1), isHex ? 16 : 10);
    return code <= 0x10ffff ? String.fromCodePoint(code) : encoded;
  }
  if (encoded.length === 2) return encoded.slice(1);
  return String.fromCharCode(Number.parseInt(encoded.slice(2), 16));
}

function decodePercent(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    // Overlong forms and surrogates are no UTF-8.
    return encoded;
  }
}

/** Replaces each match and keeps the way back; null when nothing changed. */
function rewrite(view: View, pattern: RegExp, decode: (match: string) => string): View | null {
  // Four numbers for each replacement: start and end in the new text, start and end in the old.
  const marks: number[] = [];
  let shift = 0;
  const text = view.text.replace(pattern, (match: string, offset: number) => {
    const plain = decode(match);
    if (plain === match) return match;
    const start = offset - shift;
    marks.push(start, start + plain.length, offset, offset + match.length);
    shift += match.length - plain.length;
    return plain;
  });
  if (marks.length === 0) return null;
  const toSource = (span: Span) =>
    view.toSource({ start: mapStart(marks, span.start), end: mapEnd(marks, span.end) });
  return { text, toSource };
}

function mapStart(marks: readonly number[], index: number): number {
  const [, end, oldStart, oldEnd] = findMark(marks, index);
  return index < end ? oldStart : oldEnd + (index - end);
}

function mapEnd(marks: readonly number[], index: number): number {
  // The last replacement that lies before the last character, or holds it.
  const [, end, , oldEnd] = findMark(marks, index - 1);
  return index <= end ? oldEnd : oldEnd + (index - end);
}

/** The last replacement that starts at or before an index of the new text. */
function findMark(marks: readonly number[], index: number): [number, number, number, number] {
  let low = 0;
  let high = marks.length / 4;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((marks[middle * 4] ?? 0) <= index) low = middle + 1;
    else high = middle;
  }
  const at = (low - 1) * 4;
  return low === 0
    ? [0, 0, 0, 0]
    : [marks[at] ?? 0, marks[at + 1] ?? 0, marks[at + 2] ?? 0, marks[at + 3] ?? 0];
}
