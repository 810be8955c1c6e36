import { checkNeighbours } from "./base64-needles.ts";
import { foldCase } from "./fold-case.ts";
import type { Needles } from "./needles.ts";
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
    collect(view, findInView(view.text, needles), spans);
    if (needles.base64.length === 0) continue;
    const joined = joinLines(view);
    if (joined !== null) collect(joined, findInJoined(joined.text, needles), spans);
  }
  return mergeOverlaps(spans);
}

function collect(view: View, found: Iterable<Span>, spans: Span[]): void {
  for (const span of found) spans.push(view.toSource(span));
}

function* findInView(text: string, needles: Needles): Iterable<Span> {
  for (const needle of needles.exact) yield* findAll(text, needle);
  if (needles.folded.length > 0) {
    const folded = foldCase(text);
    for (const needle of needles.folded) yield* findAll(folded, needle);
  }
  yield* findBase64(text, needles);
}

function* findInJoined(text: string, needles: Needles): Iterable<Span> {
  for (const needle of needles.joined) yield* findAll(text, needle);
  yield* findBase64(text, needles);
}

function* findAll(text: string, needle: string): Iterable<Span> {
  for (let start = text.indexOf(needle); start !== -1; ) {
    const end = start + needle.length;
    yield { start, end };
    start = text.indexOf(needle, end);
  }
}

function* findBase64(text: string, needles: Needles): Iterable<Span> {
  for (const needle of needles.base64) {
    for (let start = text.indexOf(needle.core); start !== -1; ) {
      const span = checkNeighbours(text, start, needle);
      if (span !== null) yield span;
      start = text.indexOf(needle.core, start + (span === null ? 1 : needle.core.length));
    }
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
