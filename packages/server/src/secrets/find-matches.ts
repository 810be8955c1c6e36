import { type Base64Needle, checkNeighbours } from "./base64-needles.ts";
import { foldCase } from "./fold-case.ts";
import type { Needles, TextNeedle } from "./needles.ts";
import { joinLines, toViews, type View } from "./text-views.ts";
import type { Span } from "./token-format.ts";

/**
 * Where secrets show in a text, plain or encoded, in order. Matches that overlap are one stretch,
 * so that the longest wins and no rest of another is left beside it.
 */
export function findMatches(text: string, needles: Needles): Span[] {
  if (text.length < needles.charsMin) return [];
  const spans: Span[] = [];
  for (const view of toViews(text, { plusIsSpace: needles.hasSpace })) {
    for (const needle of needles.exact) findText(view, view.text, needle, spans);
    if (needles.folded.length > 0) {
      const folded = foldCase(view.text);
      for (const needle of needles.folded) findText(view, folded, needle, spans);
    }
    for (const needle of needles.base64) findBase64(view, needle, spans);
    if (needles.base64.length > 0) findInJoinedLines(view, needles, spans);
  }
  return mergeOverlaps(spans);
}

/** Some encoders and mailers break base64 into lines, and some systems take those of a key away. */
function findInJoinedLines(view: View, needles: Needles, spans: Span[]): void {
  const joined = joinLines(view);
  for (const text of needles.joined) {
    const within = joined ?? view;
    findText(within, within.text, { text, sourceCharsMin: text.length }, spans);
  }
  if (joined === null) return;
  for (const needle of needles.base64) findBase64(joined, needle, spans);
}

/** `text` is the view's, or its folded form, in which every index is the same. */
function findText(view: View, text: string, needle: TextNeedle, spans: Span[]): void {
  for (let start = text.indexOf(needle.text); start !== -1; ) {
    const end = start + needle.text.length;
    const source = view.toSource({ start, end });
    const fits = source.end - source.start >= needle.sourceCharsMin;
    if (fits) spans.push(source);
    start = text.indexOf(needle.text, fits ? end : start + 1);
  }
}

function findBase64({ text, toSource }: View, needle: Base64Needle, spans: Span[]): void {
  for (let start = text.indexOf(needle.core); start !== -1; ) {
    const span = checkNeighbours(text, start, needle);
    if (span !== null) spans.push(toSource(span));
    start = text.indexOf(needle.core, start + (span === null ? 1 : needle.core.length));
  }
}

function mergeOverlaps(spans: Span[]): Span[] {
  spans.sort((a, b) => a.start - b.start || b.end - a.end);
  const merged: Span[] = [];
  let last: Span | null = null;
  for (const span of spans) {
    if (last !== null && span.start < last.end) {
      last.end = Math.max(last.end, span.end);
    } else {
      last = { ...span };
      merged.push(last);
    }
  }
  return merged;
}
