import { readTextFilters } from "../../../ui/tables/text-filters.ts";
import { type Category, readCategory } from "./categories.ts";

/** The filters of the catalog, as they stand in its address. */
export type CatalogFilters = {
  q?: string;
  show?: Chip;
  category?: Category;
  /** Without what the catalog offers. */
  installed?: boolean;
};

const chips = ["builtin", "plugin", "update", "disabled"] as const;
export type Chip = (typeof chips)[number];

/** Reads the filters of an address. What is not understood is left out. */
export function readCatalogFilters(search: Record<string, unknown>): CatalogFilters {
  const filters: CatalogFilters = readTextFilters(search, ["q"]);
  const show = chips.find((one) => one === search.show);
  const category = readCategory(search.category);
  if (show !== undefined) filters.show = show;
  if (category !== undefined) filters.category = category;
  if (search.installed === true) filters.installed = true;
  return filters;
}

/** Whether an address means the catalog, which earlier versions had at the place of the connections. */
export function isOfCatalog({ show, installed }: Record<string, unknown>): boolean {
  return installed === true || chips.some((one) => one === show);
}
