import type { Row } from "@hub/contract/row.ts";
import { toText } from "../catalog/catalog-filters.ts";

/** The filters of a connector's rows, as they stand in the address. */
export type RowListFilters = { q?: string; tag?: string; state?: RowState };

const rowStates = ["ready", "setup", "disabled"] as const;
export type RowState = (typeof rowStates)[number];

/** Reads the filters of an address. What is not understood is left out. */
export function readRowListFilters(search: Record<string, unknown>): RowListFilters {
  const filters: RowListFilters = {};
  const q = toText(search.q);
  const tag = toText(search.tag);
  const state = rowStates.find((one) => one === search.state);
  if (q !== "") filters.q = q;
  if (tag !== "") filters.tag = tag;
  if (state !== undefined) filters.state = state;
  return filters;
}

/** Whether a row can be called, by its own settings and its connector's. */
export function toRowState({ disabled, disabled_type, missing }: Row): RowState {
  if (disabled || disabled_type || missing === null) return "disabled";
  return missing.length > 0 ? "setup" : "ready";
}

/** The rows that contain every word of the search and have the tag and the state. */
export function filterRows(rows: readonly Row[], { q = "", tag, state }: RowListFilters): Row[] {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter((row) => {
    if (tag !== undefined && !row.tags.includes(tag)) return false;
    if (state !== undefined && toRowState(row) !== state) return false;
    const text = `${row.label} ${row.description} ${row.tags.join(" ")}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
