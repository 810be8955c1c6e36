import type { Span } from "./token-format.ts";

/** A stretch of text that shows secrets, and whether one of them is the called row's own. */
export type Match = Span & { ofRow: boolean };

/** One secret in one encoding. `core` is without characters that hold bits of a neighbour as well. */
export type Found = Match & { core: Span; isGiven: boolean };

/**
 * Makes one stretch of what overlaps, so that the longest wins and no rest of another is left beside
 * it. A stretch in which any part is the row's is the row's: it must not open anywhere else.
 *
 * A value of the user's that begins or ends inside a secret of the row does not count there, nor one
 * that the caller sent in plain inside a value that was opened. Callers choose such values, so a
 * stretch that grows with one would say whether a guessed part of the secret is right, and the secret
 * could be read one character at a time.
 */
export function mergeMatches(found: Found[]): Match[] {
  const ofRow = found.filter((one) => one.ofRow);
  const opened = found.filter((one) => !one.ofRow && !one.isGiven);
  const given = found.filter((one) => !one.ofRow && one.isGiven);
  return mergeOverlaps([opened, given].reduce(addWhereApart, ofRow));
}

/** Adds those that are not across any of what is there already. */
function addWhereApart(kept: readonly Found[], more: readonly Found[]): readonly Found[] {
  if (kept.length === 0) return more;
  if (more.length === 0) return kept;
  const stretches = mergeOverlaps(kept);
  return [...kept, ...more.filter((one) => !isAcrossAny(one, stretches))];
}

function isAcrossAny(one: Found, stretches: readonly Match[]): boolean {
  const { core } = one;
  // Stretches are in order and apart: those that the core reaches into stand side by side.
  for (let at = findFirstEndingAfter(stretches, core.start); at < stretches.length; at += 1) {
    const stretch = stretches[at];
    if (stretch === undefined || stretch.start >= core.end) return false;
    if (!isWithin(stretch, one) && !isWithin(one, stretch)) return true;
  }
  return false;
}

function findFirstEndingAfter(stretches: readonly Match[], position: number): number {
  let [from, to] = [0, stretches.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((stretches[middle]?.end ?? 0) > position) to = middle;
    else from = middle + 1;
  }
  return from;
}

function isWithin(inner: Span, outer: Span): boolean {
  return inner.start >= outer.start && inner.end <= outer.end;
}

function mergeOverlaps(matches: readonly Match[]): Match[] {
  const merged: Match[] = [];
  let last: Match | null = null;
  for (const { start, end, ofRow } of matches.toSorted(
    (a, b) => a.start - b.start || b.end - a.end,
  )) {
    if (last !== null && start < last.end) {
      last.end = Math.max(last.end, end);
      last.ofRow ||= ofRow;
    } else {
      last = { start, end, ofRow };
      merged.push(last);
    }
  }
  return merged;
}
