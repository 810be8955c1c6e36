import type { CatalogueRow } from "../catalogue/tool-catalogue.ts";
import type { DocumentIndex } from "./document-index.ts";
import type { ToolIndex } from "./tool-index.ts";
import type { VisibleDocuments } from "./word-index.ts";

/**
 * The rows and operations that the caller sees. Hidden ones must not change a search. A row counts for as many
 * documents as it has operations, so that a word in the label of a small row is as rare as its operations are.
 */
export type VisibleTools = { rows: VisibleDocuments; operations: VisibleDocuments };

export function findVisibleTools(index: ToolIndex, rows: readonly CatalogueRow[]): VisibleTools {
  const visible = { rows: createHidden(index.rows), operations: createHidden(index.operations) };
  for (const row of rows) {
    const { id, operationIds } = index.find(row);
    show(visible.rows, id, operationIds.length);
    // By index: an iterator takes longer than the work.
    for (let at = 0; at < operationIds.length; at += 1) {
      show(visible.operations, operationIds[at] ?? 0, 1);
    }
  }
  return visible;
}

function createHidden({ words }: DocumentIndex): VisibleDocuments {
  const size = words.size();
  return { flags: new Uint8Array(size), sizes: new Uint32Array(size), count: 0 };
}

function show(documents: VisibleDocuments, id: number, size: number): void {
  if (documents.flags[id] === 1) return;
  documents.flags[id] = 1;
  documents.sizes[id] = size;
  documents.count += size;
}
