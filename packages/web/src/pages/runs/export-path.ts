import type { RunQuery } from "./run-filters.ts";

/** Where the browser downloads the calls that match, as JSON lines: those of all users for admins, else one's own. */
export function toExportPath(query: RunQuery, isAdmin: boolean): string {
  const path = isAdmin ? "/manager/api/runs/export" : "/profile/api/runs/export";
  const search = new URLSearchParams(query).toString();
  return search === "" ? path : `${path}?${search}`;
}
