import type { ReviewFilter } from "@hub/contract/review-filters.ts";
import { useApi } from "../../../api/use-api.ts";
import { useMe } from "../../../api/use-me.ts";
import type { ShownRow } from "../shown-row.ts";

/** Whether each row of a connector brings its own operations. Null while it is not known. */
export function useOperationsByRow(connector: string): boolean | null {
  const { data } = useApi("GET /manager/api/connectors", {});
  if (data === undefined) return null;
  return data.connectors.find(({ key }) => key === connector)?.operations_by_row ?? false;
}

/** What the review shows: all kinds of operations, or one. */
export type ReviewKind = { show?: ReviewFilter | "hidden" | undefined };

/** The state of the operations that a row brought, with the number of each kind. For admins. */
export function useReview(row: ShownRow) {
  const { isAdmin } = useMe();
  const isByRow = useOperationsByRow(row.connector) === true;
  return useApi(
    "GET /manager/api/rows/{row}/review",
    // The operations themselves are read as lines.
    { params: { row: row.id }, query: { limit: 1 } },
    { isOn: isAdmin && isByRow },
  );
}

/** What a discovery or an approval changes. */
export const reviewRefreshes = [
  "GET /manager/api/rows/{row}/review",
  "GET /manager/api/rows/{row}/review/lines",
  "GET /manager/api/rows/{row}/left-out",
  "GET /manager/api/rows/{row}",
  "GET /manager/api/rows/{row}/operations",
  "GET /manager/api/rows/{row}/operations/{operation}",
] as const;
