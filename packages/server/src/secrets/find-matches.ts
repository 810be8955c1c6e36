import { checkNeighbours, reachOut } from "./base64-needles.ts";
import { searchNeedles } from "./needle-index.ts";
import type { Needle, Needles } from "./needles.ts";
import { toViews, type View, type Work } from "./text-views.ts";
import type { Span } from "./token-format.ts";

/** A stretch of text that shows secrets, and whether one of them is the called row's own. */
export type Match = Span & { ofRow: boolean };

/**
 * How much is looked at for each character of a text, and besides. A text that is all escapes of
 * all kinds takes about half; more is needed only by one that was made to hurt.
 */
const stepsPerChar = 100;
const stepsBeside = 200_000;

/**
 * Where secrets show in a text, plain or encoded, in order. Matches that overlap are one stretch,
 * so that the longest wins and no rest of another is left beside it. Null when the text cannot be
 * searched within its budget: then it must not leave the hub. `work` counts the characters looked at.
 */
export function findMatches(
  text: string,
  needles: Needles,
  work: Work = { steps: 0 },
): Match[] | null {
  if (text.length < needles.charsMin) return [];
  const stepsMax = work.steps + text.length * stepsPerChar + stepsBeside;
  const matches: Match[] = [];
  for (const view of toViews(text, { needleCharsMax: needles.charsMax, work })) {
    searchView(view, needles, { work, stepsMax }, matches);
    if (work.steps > stepsMax) return null;
  }
  return mergeOverlaps(matches);
}

function searchView(
  view: View,
  { list, index }: Needles,
  { work, stepsMax }: { work: Work; stepsMax: number },
  matches: Match[],
): void {
  for (let pair = 0; pair < view.windows.length; pair += 2) {
    const [from = 0, to = 0] = [view.windows[pair], view.windows[pair + 1]];
    const limits = { index, list, stepsMax: stepsMax - work.steps };
    work.steps += searchNeedles(view.text, { from, to }, limits, (found, start) => {
      const needle = list[found];
      const source = needle === undefined ? null : findSource(view, needle, start);
      if (source !== null) matches.push({ ...source, ofRow: needle?.ofRow ?? false });
    });
    if (work.steps > stepsMax) return;
  }
}

/** Where in the original the needle stands; null when it is something else that reads like it. */
function findSource(view: View, needle: Needle, start: number): Span | null {
  const span = { start, end: start + needle.text.length };
  if (needle.base64 === null) {
    const source = view.toSource(span);
    return source.end - source.start < needle.sourceCharsMin ? null : source;
  }
  const fitting = checkNeighbours(view.text, span, needle.base64);
  if (fitting === null) return null;
  return view.toSource(needle.isNested ? reachOut(view.text, fitting) : fitting);
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
