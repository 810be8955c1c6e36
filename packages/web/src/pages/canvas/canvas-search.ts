import { readTextFilters } from "../../ui/tables/text-filters.ts";

/** What the address of a canvas says: the selected item, and the run that is shown on the draft. */
export type CanvasSearch = { node?: string; run?: string };

export function readCanvasSearch(search: Record<string, unknown>): CanvasSearch {
  return readTextFilters(search, ["node", "run"]);
}
