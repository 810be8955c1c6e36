import { checkNeighbours, extendMatch } from "../needles/base64-needles.ts";
import type { LongForm } from "../needles/long-secrets.ts";
import { searchNeedles } from "../needles/needle-index.ts";
import type { Needle, NeedleGroup, Needles } from "../needles/needles.ts";
import type { Span } from "../value-tokens/token-format.ts";
import { expandCompressed } from "../views/compressed-parts.ts";
import { foldCase } from "../views/fold-case.ts";
import { toViews } from "../views/text-views.ts";
import type { View, Work } from "../views/view.ts";
import { type Found, type Match, mergeMatches } from "./merge-matches.ts";
import { createTextFingerprints, type TextFingerprints } from "./text-fingerprints.ts";

/**
 * The search steps per character of a text. A text full of nested escapes takes about half of them.
 * Only an attack takes more.
 */
const stepsPerChar = 100;
/** Additional steps for all texts of a call together. */
const stepsBeside = 200_000;

/** The remaining additional steps of one call. */
export type SearchPool = { stepsLeft: number };

export function createSearchPool(): SearchPool {
  return { stepsLeft: stepsBeside };
}

type SearchOptions = {
  /** Counts the characters that are read. */
  work?: Work;
  pool?: SearchPool;
  /** 1 inside compressed data, in which no more is expanded. */
  depth?: 0 | 1;
};

/**
 * Finds all secrets in a text, plain or encoded, in the order of the text. Overlapping matches are
 * merged, so that no part of a shorter match remains beside a longer one. Returns null if the
 * search exceeds its limit; the text must then not leave the hub.
 */
export function findMatches(
  text: string,
  needles: Needles,
  { work = { steps: 0 }, pool = createSearchPool(), depth = 0 }: SearchOptions = {},
): Match[] | null {
  if (text.length < needles.charsMin) return [];
  const stepsOwn = work.steps + text.length * stepsPerChar;
  const stepsMax = stepsOwn + pool.stepsLeft;
  const found: Found[] = [];
  for (const view of toViews(text, { needleCharsMax: needles.charsMax, work })) {
    searchView(view, needles, { work, stepsMax }, found);
    if (work.steps > stepsMax) break;
  }
  if (depth === 0) {
    for (const { start, end, expanded } of expandCompressed(text)) {
      const inside = findMatches(expanded, needles, { work: { steps: 0 }, pool, depth: 1 });
      if (inside?.length === 0) continue;
      const ofRow = inside?.some((match) => match.ofRow) ?? true;
      found.push({ start, end, core: { start, end }, ofRow, isFromCaller: false });
    }
  }
  pool.stepsLeft -= Math.max(Math.min(work.steps - stepsOwn, pool.stepsLeft), 0);
  return work.steps > stepsMax ? null : mergeMatches(found);
}

type Limits = { work: Work; stepsMax: number };

/** Searches a view, and its lines for the needles that joining lines can alter. */
function searchView(view: View, { all, ofLines }: Needles, limits: Limits, found: Found[]): void {
  const add = (view: View, needle: FoundNeedle, span: Span) => {
    const source = findSource(view, needle, span);
    if (source === null) return;
    const { ofRow, isFromCaller } = needle;
    found.push({ ...source, ofRow, isFromCaller });
  };
  const { unjoined } = view;
  if (unjoined !== null) {
    searchWindows(unjoined.view, ofLines, limits, (needle, span) =>
      add(unjoined.view, needle, span),
    );
  }
  searchWindows(view, all, limits, (needle, span) => {
    add(view, needle, span);
    // Between the lines, the match may have other neighbours.
    if (needle.base64 === null || unjoined === null) return;
    add(unjoined.view, needle, unjoined.toSpan(span));
  });
}

/** What of a needle says where a match begins and ends, and whose it is. */
type FoundNeedle = Pick<
  Needle,
  "ignoreCase" | "sourceCharsMin" | "ofRow" | "isFromCaller" | "isNested"
> & { base64: LongForm["base64"] };

function searchWindows(
  { text, windows }: View,
  { list, index }: NeedleGroup,
  { work, stepsMax }: Limits,
  onFound: (needle: FoundNeedle, span: Span) => void,
): void {
  const findRest = createRestFinder(text);
  for (let pair = 0; pair < windows.length && work.steps <= stepsMax; pair += 2) {
    const [from = 0, to = 0] = [windows[pair], windows[pair + 1]];
    const limits = { index, list, stepsMax: stepsMax - work.steps };
    work.steps += searchNeedles(text, { from, to }, limits, (which, start) => {
      const needle = list[which];
      if (needle === undefined) return 0;
      if (needle.longForms !== null) return findRest(needle, { start, end: to }, onFound);
      onFound(needle, { start, end: start + needle.text.length });
      return 0;
    });
  }
}

/**
 * Finds the forms of long secrets whose beginning was found. `end` is that of the searched part. Returns the
 * number of steps.
 */
function createRestFinder(text: string) {
  const fingerprints: { exact?: TextFingerprints; folded?: TextFingerprints } = {};
  return (
    needle: Needle,
    { start, end }: Span,
    onFound: (needle: FoundNeedle, span: Span) => void,
  ): number => {
    if (start + needle.sourceCharsMin > end) return 0;
    const forms = needle.longForms?.list() ?? null;
    // The text must not leave the hub.
    if (forms === null) return Number.POSITIVE_INFINITY;
    const name = needle.ignoreCase ? "folded" : "exact";
    let steps = forms.length;
    for (const form of forms) {
      const formEnd = start + form.chars;
      if (formEnd > end) continue;
      if (fingerprints[name] === undefined) steps += 2 * text.length;
      fingerprints[name] ??= createTextFingerprints(needle.ignoreCase ? foldCase(text) : text);
      if (fingerprints[name].find(start, form) !== form.fingerprint) continue;
      const { sourceCharsMin, base64 } = form;
      onFound({ ...needle, sourceCharsMin, base64 }, { start, end: formEnd });
    }
    return steps;
  };
}

/**
 * The span of a match in the original text; null if the match is too short or its neighbours do not
 * fit.
 */
function findSource(
  view: View,
  needle: FoundNeedle,
  span: Span,
): Omit<Found, "ofRow" | "isFromCaller"> | null {
  if (needle.base64 === null) {
    const source = view.toSource(span);
    return source.end - source.start < needle.sourceCharsMin ? null : { ...source, core: source };
  }
  const fitting = checkNeighbours(view.text, span, needle.base64);
  if (fitting === null) return null;
  const whole = needle.isNested ? extendMatch(view.text, fitting) : fitting;
  return { ...view.toSource(whole), core: view.toSource(span) };
}
