import { distance } from "fastest-levenshtein";

/** Longer texts are not misspelt names, and comparing them is expensive. */
const nameLengthMax = 64;

/** Shorter texts begin many names. */
const beginningLengthMin = 3;

/**
 * The most similar candidate, ignoring case, else the only one that begins with the text; null if none
 * is similar enough. The first one wins a tie.
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
  return nearest ?? findLonger(wanted, candidates);
}

/** The only candidate that begins with the text: `tool_id` for `tool`. */
function findLonger(wanted: string, candidates: Iterable<string>): string | null {
  if (wanted.length < beginningLengthMin) return null;
  const longer = [...candidates].filter((one) => one.toLowerCase().startsWith(wanted));
  return longer.length === 1 ? (longer[0] ?? null) : null;
}

/**
 * The sentence ` Did you mean "…"?`, which starts with a space, or `""` if no candidate is similar.
 *
 * @example throw new Error(`There is no field "${name}".${suggest(name, fieldNames)}`);
 */
export function suggest(text: string, candidates: Iterable<string>): string {
  const nearest = findNearest(text, candidates);
  return nearest === null ? "" : ` Did you mean "${nearest}"?`;
}
