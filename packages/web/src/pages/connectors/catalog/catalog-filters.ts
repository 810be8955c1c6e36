/** The filters of the page of connectors, as they stand in its address. */
export type CatalogFilters = {
  q?: string;
  show?: Chip;
  /** Without what the catalog offers. */
  installed?: boolean;
};

const chips = ["builtin", "plugin", "update", "setup", "disabled"] as const;
export type Chip = (typeof chips)[number];

/** Reads the filters of an address. What is not understood is left out. */
export function readCatalogFilters(search: Record<string, unknown>): CatalogFilters {
  const filters: CatalogFilters = {};
  const show = chips.find((one) => one === search.show);
  const q = toText(search.q);
  if (q !== "") filters.q = q;
  if (show !== undefined) filters.show = show;
  if (search.installed === true) filters.installed = true;
  return filters;
}

/** The router reads a search for `7` as a number. */
export function toText(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
