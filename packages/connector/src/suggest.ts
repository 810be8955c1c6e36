import { distance } from "fastest-levenshtein";

/** Longer texts are not misspelt names, and comparing them is expensive. */
const nameLengthMax = 64;

/**
 * The candidate that a misspelt name was most likely meant to be, ignoring case; null when none is
 * near. Of equally near ones the first wins.
 */
export function findNearest(text: string, candidates: Iterable<string>): string | null {
  if (text.length > nameLengthMax) return null;
  const wanted = text.toLowerCase();
  let nearest: string | null = null;
  let nearestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const edits = distance(wanted, candidate.toLowerCase());
    const editsMax = Math.max(1, Math.floor(Math.max(wanted.length, candidate.length) / 3));
    if (edits <= editsMax && edits < nearestDistance) {
      nearest = candidate;
      nearestDistance = edits;
    }
  }
  return nearest;
}

/**
 * The sentence ` Did you mean "…"?`, with a space before it, or `""` when no candidate is near.
 *
 * @example throw new Error(`There is no field "${name}".${suggest(name, fieldNames)}`);
 */
export function suggest(text: string, candidates: Iterable<string>): string {
  const nearest = findNearest(text, candidates);
  return nearest === null ? "" : ` Did you mean "${nearest}"?`;
}
