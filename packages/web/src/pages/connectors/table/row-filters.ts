import type { RowSort } from "@hub/contract/listed-row.ts";
import type { RowStateName } from "@hub/contract/row-state.ts";
import { readTextFilters } from "../../../ui/tables/text-filters.ts";
import { readState } from "./row-states.ts";

const rowSorts: readonly RowSort[] = [
  "label",
  "connector",
  "state",
  "calls",
  "errors",
  "p95",
  "last_call",
];
export type RowOrder = "asc" | "desc";

/** The filters and the order of a table of rows, as they stand in the address. */
export type RowFilters = {
  q?: string;
  connector?: string;
  tag?: string;
  state?: RowStateName;
  sort?: RowSort;
  order?: RowOrder;
};

/** Reads the filters of an address. What is not understood is left out. */
export function readRowFilters(search: Record<string, unknown>): RowFilters {
  const filters: RowFilters = readTextFilters(search, ["q", "connector", "tag"]);
  const state = readState(search.state);
  const sort = readSort(search.sort);
  if (state !== undefined) filters.state = state;
  if (sort === undefined) return filters;
  const order = search.order === "asc" || search.order === "desc" ? search.order : firstOrder(sort);
  return { ...filters, sort, order };
}

/** The same for the page of one connector. */
export function readRowFiltersOfConnector(
  search: Record<string, unknown>,
): Omit<RowFilters, "connector"> {
  const { connector: _, ...filters } = readRowFilters(search);
  return filters;
}

export function readSort(value: unknown): RowSort | undefined {
  return rowSorts.find((one) => one === value);
}

/** The order after a click on the header of a column. */
export function toggleSort(
  { sort, order }: { sort: RowSort; order: RowOrder },
  clicked: RowSort,
): { sort: RowSort; order: RowOrder } {
  if (sort !== clicked) return { sort: clicked, order: firstOrder(clicked) };
  return { sort, order: order === "asc" ? "desc" : "asc" };
}

/** Numbers and times begin with the largest. */
export function firstOrder(sort: RowSort): RowOrder {
  return ["label", "connector", "state"].includes(sort) ? "asc" : "desc";
}
