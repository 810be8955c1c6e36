import { type Base64Needle, checkNeighbours } from "./base64-needles.ts";
import { foldCase } from "./fold-case.ts";
import type { Needles, TextNeedle } from "./needles.ts";
import { joinLines, toViews, type View } from "./text-views.ts";
import type { Span } from "./token-format.ts";

/** A stretch of text that shows secrets, and whether one of them is the called row's own. */
export type Match = Span & { ofRow: boolean };

/**
 * Where secrets show in a text, plain or encoded, in order. Matches that overlap are one stretch,
 * so that the longest wins and no rest of another is left beside it.
 */
export function findMatches(text: string, needles: Needles): Match[] {
  if (text.length < needles.charsMin) return [];
  const spans: Match[] = [];
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
function findInJoinedLines(view: View, needles: Needles, spans: Match[]): void {
  const joined = joinLines(view);
  for (const needle of needles.joined) {
    const within = joined ?? view;
    findText(within, within.text, needle, spans);
  }
  if (joined === null) return;
  for (const needle of needles.base64) findBase64(joined, needle, spans);
}

/** `text` is the view's, or its folded form, in which every index is the same. */
function findText(view: View, text: string, needle: TextNeedle, spans: Match[]): void {
  for (let start = text.indexOf(needle.text); start !== -1; ) {
    const end = start + needle.text.length;
    const source = view.toSource({ start, end });
    const fits = source.end - source.start >= needle.sourceCharsMin;
    if (fits) spans.push({ ...source, ofRow: needle.ofRow });
    start = text.indexOf(needle.text, fits ? end : start + 1);
  }
}

function findBase64({ text, toSource }: View, needle: Base64Needle, spans: Match[]): void {
  for (let start = text.indexOf(needle.core); start !== -1; ) {
    const span = checkNeighbours(text, start, needle);
    if (span !== null) spans.push({ ...toSource(span), ofRow: needle.ofRow });
    start = text.indexOf(needle.core, start + (span === null ? 1 : needle.core.length));
  }
}

/** A stretch in which any part is the row's is the row's: it must not open anywhere else. */
function mergeOverlaps(spans: Match[]): Match[] {
  spans.sort((a, b) => a.start - b.start || b.end - a.end);
  const merged: Match[] = [];
  let last: Match | null = null;
  for (const span of spans) {
    if (last !== null && span.start < last.end) {
      last.end = Math.max(last.end, span.end);
      last.ofRow ||= span.ofRow;
    } else {
      last = { ...span };
      merged.push(last);
    }
  }
  return merged;
}
