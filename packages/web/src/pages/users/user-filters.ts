import { readTextFilters } from "../../ui/tables/text-filters.ts";

/** The filters of the page of users, as they stand in its address. */
export type UserFilters = { q?: string; status?: string; role?: string; tag?: string };

export function readUserFilters(search: Record<string, unknown>): UserFilters {
  return readTextFilters(search, ["q", "status", "role", "tag"]);
}
