import type { Span } from "../value-tokens/token-format.ts";

/** A span of text that contains secrets, and whether one of them is a secret of the row. */
export type Match = Span & { ofRow: boolean };

/** A match of one needle. `core` excludes characters that share bits with neighbouring bytes. */
export type Found = Match & { core: Span; isFromCaller: boolean };

/**
 * Merges overlapping matches, so that no part of a shorter match remains beside a longer one. A
 * merged match that contains a secret of the row is bound to the row: it must not open anywhere
 * else.
 *
 * A match of a user's value that only partly overlaps a row's secret is ignored. So is a match of a
 * value that the caller sent in plaintext and that only partly overlaps an opened value. Callers
 * choose such values. If they extended the match, its length would show whether a guess is right,
 * and an attacker could guess the secret character by character.
 */
export function mergeMatches(found: Found[]): Match[] {
  const ofRow = found.filter((one) => one.ofRow);
  const opened = found.filter((one) => !one.ofRow && !one.isFromCaller);
  const fromCaller = found.filter((one) => !one.ofRow && one.isFromCaller);
  return mergeOverlaps([opened, fromCaller].reduce(addWithoutPartialOverlap, ofRow));
}

/** Adds the matches that do not partly overlap one of the others. */
function addWithoutPartialOverlap(
  kept: readonly Found[],
  more: readonly Found[],
): readonly Found[] {
  if (kept.length === 0) return more;
  if (more.length === 0) return kept;
  const merged = mergeOverlaps(kept);
  return [...kept, ...more.filter((one) => !hasPartialOverlap(one, merged))];
}

function hasPartialOverlap(one: Found, merged: readonly Match[]): boolean {
  const { core } = one;
  // Merged matches are sorted and do not overlap, so those that overlap the core are adjacent.
  for (let at = findFirstEndingAfter(merged, core.start); at < merged.length; at += 1) {
    const span = merged[at];
    if (span === undefined || span.start >= core.end) return false;
    if (!isWithin(span, one) && !isWithin(one, span)) return true;
  }
  return false;
}

function findFirstEndingAfter(merged: readonly Match[], position: number): number {
  let [from, to] = [0, merged.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((merged[middle]?.end ?? 0) > position) to = middle;
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
