import { checkNeighbours, reachOut } from "./base64-needles.ts";
import { type Found, type Match, mergeMatches } from "./merge-matches.ts";
import { searchNeedles } from "./needle-index.ts";
import type { Needle, Needles } from "./needles.ts";
import { toViews, type View, type Work } from "./text-views.ts";

/**
 * How much is looked at for each character of a text. A text that is all escapes of all kinds takes
 * about half; more is needed only by one that was made to hurt.
 */
const stepsPerChar = 100;
/** What all texts of a call may take besides. */
const stepsBeside = 200_000;

/** What the texts of one call have left where one needs more than its own length allows. */
export type SearchPool = { stepsLeft: number };

export function createSearchPool(): SearchPool {
  return { stepsLeft: stepsBeside };
}

type SearchOptions = {
  /** Counts the characters looked at. */
  work?: Work;
  pool?: SearchPool;
};

/**
 * Where secrets show in a text, plain or encoded, in order. Matches that overlap are one stretch,
 * so that the longest wins and no rest of another is left beside it. Null when the text cannot be
 * searched within its budget: then it must not leave the hub.
 */
export function findMatches(
  text: string,
  needles: Needles,
  { work = { steps: 0 }, pool = createSearchPool() }: SearchOptions = {},
): Match[] | null {
  if (text.length < needles.charsMin) return [];
  const stepsOwn = work.steps + text.length * stepsPerChar;
  const stepsMax = stepsOwn + pool.stepsLeft;
  const found: Found[] = [];
  for (const view of toViews(text, { needleCharsMax: needles.charsMax, work })) {
    searchView(view, needles, { work, stepsMax }, found);
    if (work.steps > stepsMax) break;
  }
  pool.stepsLeft -= Math.max(Math.min(work.steps - stepsOwn, pool.stepsLeft), 0);
  return work.steps > stepsMax ? null : mergeMatches(found);
}

function searchView(
  view: View,
  { list, index }: Needles,
  { work, stepsMax }: { work: Work; stepsMax: number },
  found: Found[],
): void {
  for (let pair = 0; pair < view.windows.length; pair += 2) {
    const [from = 0, to = 0] = [view.windows[pair], view.windows[pair + 1]];
    const limits = { index, list, stepsMax: stepsMax - work.steps };
    work.steps += searchNeedles(view.text, { from, to }, limits, (which, start) => {
      const needle = list[which];
      const source = needle === undefined ? null : findSource(view, needle, start);
      if (needle === undefined || source === null) return;
      const { ofRow, isGiven } = needle;
      found.push({ ...source, ofRow, isGiven });
    });
    if (work.steps > stepsMax) return;
  }
}

/** Where in the original the needle stands; null when it is something else that reads like it. */
function findSource(
  view: View,
  needle: Needle,
  start: number,
): Omit<Found, "ofRow" | "isGiven"> | null {
  const span = { start, end: start + needle.text.length };
  if (needle.base64 === null) {
    const source = view.toSource(span);
    return source.end - source.start < needle.sourceCharsMin ? null : { ...source, core: source };
  }
  const fitting = checkNeighbours(view.text, span, needle.base64);
  if (fitting === null) return null;
  const whole = needle.isNested ? reachOut(view.text, fitting) : fitting;
  return { ...view.toSource(whole), core: view.toSource(span) };
}
