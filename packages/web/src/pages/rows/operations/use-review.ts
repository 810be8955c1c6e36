import type { ReviewFilter } from "@hub/contract/review-filters.ts";
import { useApi } from "../../../api/use-api.ts";
import { useMe } from "../../../api/use-me.ts";
import type { ShownRow } from "../shown-row.ts";

/** The operations of one page of the review. */
export const reviewedPerPage = 20;

/** Whether each row of a connector brings its own operations. Null while it is not known. */
export function useOperationsByRow(connector: string): boolean | null {
  const { data } = useApi("GET /manager/api/connectors", {});
  if (data === undefined) return null;
  return data.connectors.find(({ key }) => key === connector)?.operations_by_row ?? false;
}

/** What the review shows: a page of all operations, or of one kind. */
export type ReviewPage = { offset?: number; show?: ReviewFilter | undefined };

/** The state of the operations that a row brought, and a page of those that wait. For admins. */
export function useReview(row: ShownRow, { offset = 0, show }: ReviewPage = {}) {
  const { isAdmin } = useMe();
  const isByRow = useOperationsByRow(row.connector) === true;
  return useApi(
    "GET /manager/api/rows/{row}/review",
    {
      params: { row: row.id },
      query: { offset, limit: reviewedPerPage, ...(show && { filter: show }) },
    },
    { isOn: isAdmin && isByRow },
  );
}

/** What a discovery or an approval changes. */
export const reviewRefreshes = [
  "GET /manager/api/rows/{row}/review",
  "GET /manager/api/rows/{row}/left-out",
  "GET /manager/api/rows/{row}",
  "GET /manager/api/rows/{row}/operations",
  "GET /manager/api/rows/{row}/operations/{operation}",
] as const;
