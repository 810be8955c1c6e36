import type { RunCounts, RunSummary } from "@hub/contract/run-history.ts";
import { useApi } from "../../api/use-api.ts";
import { useMe } from "../../api/use-me.ts";
import type { Reading } from "../../ui/page/loaded.tsx";
import type { RunQuery } from "./run-filters.ts";

/** What the statistics of all calls can be limited to. */
const summarized = ["from", "to", "row"];

/**
 * Calls by outcome and hour. Admins without further filters get the statistics of all calls, others a
 * count of the newest ones, which says where it stopped.
 */
export function useRunCounts(
  query: RunQuery,
  options: { everyMs?: number },
): Reading<RunCounts | RunSummary> {
  const { isAdmin } = useMe();
  const isCounted = !isAdmin || Object.keys(query).some((name) => !summarized.includes(name));
  const summary = useApi(
    "GET /manager/api/runs/summary",
    { query: { ...query, by_row: "none" as const } },
    { ...options, isOn: !isCounted },
  );
  const route = isAdmin ? "GET /manager/api/runs/counts" : "GET /profile/api/runs/counts";
  const counts = useApi(route, { query }, { ...options, isOn: isCounted });
  return isCounted ? counts : summary;
}
