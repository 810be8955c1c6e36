import type { CatalogueRow } from "../catalogue/tool-catalogue.ts";
import type { DocumentIndex } from "./document-index.ts";
import type { ToolIndex } from "./tool-index.ts";
import type { VisibleDocuments } from "./word-index.ts";

/** The rows and operations that the caller sees. Hidden ones must not change a search. */
export type VisibleTools = { rows: VisibleDocuments; operations: VisibleDocuments };

export function findVisibleTools(index: ToolIndex, rows: readonly CatalogueRow[]): VisibleTools {
  const visible = { rows: createFlags(index.rows), operations: createFlags(index.operations) };
  for (const row of rows) {
    const { id, operationIds } = index.find(row);
    mark(visible.rows, id);
    for (const operationId of operationIds) mark(visible.operations, operationId);
  }
  return visible;
}

function createFlags({ words }: DocumentIndex): VisibleDocuments {
  return { flags: new Uint8Array(words.size()), count: 0 };
}

function mark(documents: VisibleDocuments, id: number): void {
  if (documents.flags[id] === 1) return;
  documents.flags[id] = 1;
  documents.count += 1;
}
