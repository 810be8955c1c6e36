import type { RunSource, RunStatus } from "@hub/contract/run.ts";
import { readTextFilters, readTimeFilters } from "../../ui/tables/text-filters.ts";

/** The filters of the page of calls, as they stand in its address. */
export type RunFilters = {
  status?: RunStatus;
  source?: RunSource;
  connector?: string;
  row?: string;
  operation?: string;
  user?: string;
  /** A text in the error. */
  error?: string;
  from?: string;
  to?: string;
  /** New calls are shown as they come. */
  live?: boolean;
};

const statuses = ["running", "success", "error", "denied", "cancelled"] as const;
const sources = ["mcp", "test", "retry", "workflow"] as const;

/** Reads the filters of an address. What is not understood is left out. */
export function readRunFilters(search: Record<string, unknown>): RunFilters {
  const status = statuses.find((one) => one === search.status);
  const source = sources.find((one) => one === search.source);
  return {
    ...(status !== undefined && { status }),
    ...(source !== undefined && { source }),
    ...readTextFilters(search, ["connector", "row", "operation", "user", "error"]),
    ...readTimeFilters(search),
    ...(search.live === true && { live: true }),
  };
}
