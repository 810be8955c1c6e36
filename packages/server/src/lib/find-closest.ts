import { distance } from "fastest-levenshtein";

/** The known name that a mistyped one most likely meant; null when none is near. */
export function findClosest(typed: string, known: Iterable<string>): string | null {
  const wanted = typed.toLowerCase();
  let best: string | null = null;
  // A third of the letters may be wrong: more than that is another word, not a slip.
  let bestDistance = Math.floor(wanted.length / 3) + 1;
  for (const name of known) {
    const steps = distance(wanted, name.toLowerCase());
    if (steps < bestDistance) {
      best = name;
      bestDistance = steps;
    }
  }
  return best;
}

/** ` Did you mean "…"?` to end a sentence with, or nothing. */
export function toSuggestion(typed: string, known: Iterable<string>): string {
  const closest = findClosest(typed, known);
  return closest === null ? "" : ` Did you mean "${closest}"?`;
}
