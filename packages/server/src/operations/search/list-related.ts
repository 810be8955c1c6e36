import type { CatalogueRow } from "../catalogue/tool-catalogue.ts";
import type { Matches } from "./match-tools.ts";
import type { ToolIndex } from "./tool-index.ts";
import type { VisibleTools } from "./visible-tools.ts";

const relatedMax = 8;
/** Labels come after so many words. */
const wordsMax = 4;

/**
 * What to try instead: words of visible operations that resemble the query's unknown words. If even the best match is
 * weak, also labels of visible rows, of one row of each connector.
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
    const term =
      index.operations.words.findRelated(word, visible.operations) ??
      index.rows.words.findRelated(word, visible.rows);
    if (term !== null) related.add(term);
  }
  if (found.some(({ isWeak }) => !isWeak)) return [...related];
  const seen = new Set<string>();
  for (const { row, connector, operations } of rows) {
    if (related.size >= relatedMax) break;
    if (operations.length === 0 || seen.has(connector.key)) continue;
    seen.add(connector.key);
    related.add(row.label);
  }
  return [...related];
}
