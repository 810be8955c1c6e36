import { type RunFilters, readRunFilters } from "./run-filters.ts";

/** Filters under a name. */
export type SavedFilter = { name: string; filters: RunFilters };

const savedMax = 50;
const nameCharsMax = 60;

/** Reads what the browser has kept. What is not understood is left out. */
export function readSavedFilters(kept: unknown): SavedFilter[] {
  if (!Array.isArray(kept)) return [];
  return kept.slice(0, savedMax).flatMap((one: unknown) => {
    const { name, filters } = Object(one);
    if (typeof name !== "string" || name === "") return [];
    return [
      { name: name.slice(0, nameCharsMax), filters: toSaved(readRunFilters(Object(filters))) },
    ];
  });
}

/** The list with one more, by name; a filter with the same name is replaced. */
export function addSavedFilter(
  saved: readonly SavedFilter[],
  { name, filters }: SavedFilter,
): SavedFilter[] {
  const given = name.trim().slice(0, nameCharsMax);
  if (given === "") return [...saved];
  const others = saved.filter((one) => one.name !== given);
  return [...others, { name: given, filters: toSaved(filters) }]
    .toSorted((one, other) => one.name.localeCompare(other.name))
    .slice(0, savedMax);
}

/** A saved filter opens no call, and says nothing of how the list is shown. */
function toSaved({ open: _open, live: _live, each: _each, ...filters }: RunFilters): RunFilters {
  return filters;
}
