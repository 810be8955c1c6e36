import type { RowsByState } from "@hub/contract/listed-row.ts";
import { useMemo } from "react";
import { usePages } from "../../../api/use-api.ts";
import type { RowFilters } from "./row-filters.ts";

/** About 70 KB. */
const limit = 100;
const everyMs = 30_000;

/** The rows that match, read page by page: one request for each page, whatever the table shows of it. */
export function useRowList(filters: RowFilters) {
  const query = { sort: "label" as const, ...filters, limit };
  const pages = usePages("GET /manager/api/rows", { query }, "after", {
    everyMs,
    keepsLast: true,
  });
  const rows = useMemo(() => {
    const found = pages.data?.pages.flatMap((page) => page.rows) ?? [];
    // A row whose place has changed meanwhile can be on two pages.
    return [...new Map(found.map((row) => [row.id, row])).values()];
  }, [pages.data]);
  const counted = pages.data?.pages.at(-1);
  const byState: RowsByState = counted?.by_state ?? {};
  const total = counted?.total ?? 0;
  return {
    pages,
    rows,
    byState,
    /** Those of all states. */
    total,
    /** Those that match all filters. */
    matching: filters.state === undefined ? total : (byState[filters.state] ?? 0),
  };
}
