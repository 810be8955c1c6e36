import type { CatalogueRow } from "../tool-catalogue.ts";
import type { Matches } from "./find-matches.ts";
import type { ToolIndex } from "./tool-index.ts";
import type { VisibleTools } from "./visible-tools.ts";
import { createFound } from "./word-index.ts";

const relatedMax = 8;
/** Labels come after so many words. */
const wordsMax = 4;

/**
 * What to try instead of a query that matches little: words of visible operations that resemble its
 * unknown words, then labels of visible rows, of one row of each connector.
 */
export function listRelated(
  index: ToolIndex,
  rows: readonly CatalogueRow[],
  visible: VisibleTools,
  found: readonly Matches[],
): string[] {
  const unknown = found.flatMap(({ words }) => [...words].filter(([, count]) => count === 0));
  const related = new Set<string>();
  for (const [word] of unknown.slice(0, wordsMax)) {
    const candidates = [
      ...index.operations.words.listRelated(word),
      ...index.rows.words.listRelated(word),
    ];
    const best = candidates
      .slice(0, 50)
      .find((candidate) => !related.has(candidate) && isVisible(index, visible, candidate));
    if (best !== undefined) related.add(best);
  }
  const seen = new Set<string>();
  for (const { row, connector, operations } of rows) {
    if (related.size >= relatedMax) break;
    if (operations.length === 0 || seen.has(connector.key)) continue;
    seen.add(connector.key);
    related.add(row.label);
  }
  return [...related];
}

/** Whether a visible row or operation has a word with this beginning. */
function isVisible(index: ToolIndex, visible: VisibleTools, term: string): boolean {
  return (["rows", "operations"] as const).some((kind) => {
    const found = createFound(visible[kind]);
    index[kind].words.search(term, 0, found);
    return found.masks.includes(1);
  });
}
