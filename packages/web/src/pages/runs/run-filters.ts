import type { RunSource, RunStatus } from "@hub/contract/run.ts";

/** The filters of the page of runs, as they stand in its address. */
export type RunFilters = {
  status?: RunStatus;
  source?: RunSource;
  operation?: string;
  row?: string;
  user?: string;
  from?: string;
  to?: string;
  /** New runs are shown as they come. */
  live?: boolean;
};

const statuses = ["running", "success", "error", "denied", "cancelled"] as const;
const sources = ["mcp", "test", "retry"] as const;

/** Reads the filters of an address. What is not understood is left out. */
export function readRunFilters(search: Record<string, unknown>): RunFilters {
  const filters: RunFilters = {};
  const status = statuses.find((one) => one === search.status);
  const source = sources.find((one) => one === search.source);
  if (status !== undefined) filters.status = status;
  if (source !== undefined) filters.source = source;
  for (const name of ["operation", "row", "user"] as const) {
    const value = search[name];
    if (typeof value === "string" && value !== "") filters[name] = value;
  }
  for (const name of ["from", "to"] as const) {
    const value = search[name];
    if (typeof value === "string" && !Number.isNaN(Date.parse(value))) filters[name] = value;
  }
  if (search.live === true) filters.live = true;
  return filters;
}
