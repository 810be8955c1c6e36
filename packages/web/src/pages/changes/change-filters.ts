import { readTextFilters, readTimeFilters } from "../../ui/tables/text-filters.ts";

/** The filters of the record of changes, as they stand in its address. */
export type ChangeFilters = {
  action?: string;
  kind?: string;
  actor?: string;
  target?: string;
  from?: string;
  to?: string;
};

export function readChangeFilters(search: Record<string, unknown>): ChangeFilters {
  return {
    ...readTextFilters(search, ["action", "kind", "actor", "target"]),
    ...readTimeFilters(search),
  };
}
