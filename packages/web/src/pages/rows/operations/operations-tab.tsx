import { useState } from "react";
import { useApi, usePages } from "../../../api/use-api.ts";
import { useMe } from "../../../api/use-me.ts";
import { EmptyState } from "../../../ui/page/empty-state.tsx";
import { Loaded } from "../../../ui/page/loaded.tsx";
import { PageSkeleton } from "../../../ui/page/page-skeleton.tsx";
import { SearchField } from "../../../ui/tables/search-field.tsx";
import { formatNumber } from "../../../ui/text/format.ts";
import styles from "../rows.module.css";
import type { ShownRow } from "../shown-row.ts";
import { DiscoveryCard } from "./discovery-card.tsx";
import { MoreOperations } from "./more-operations.tsx";
import { OperationItem } from "./operation-item.tsx";
import { ReadsButton } from "./reads-button.tsx";
import { ReviewList } from "./review-list.tsx";
import { type ReviewKind, useOperationsByRow, useReview } from "./use-review.ts";

const watchMs = 10_000;

type TabProps = {
  row: ShownRow;
  /** The part of the review that is shown. */
  place: ReviewKind;
};

/** The operations of a row: what waits for a review, and all of them. */
export function OperationsTab({ row, place }: TabProps) {
  const { isAdmin } = useMe();
  const connectors = useApi("GET /manager/api/connectors", {});
  const isByRow = useOperationsByRow(row.connector);
  const review = useReview(row);
  // What stands below the review comes with it, so that the review does not push it away.
  const awaitsReview = isAdmin && isByRow === true && review.isPending;
  return (
    <>
      {isAdmin && isByRow === true && (
        <>
          <DiscoveryCard row={row} />
          <ReviewList row={row} place={place} />
        </>
      )}
      {awaitsReview ? (
        <PageSkeleton lines={6} />
      ) : row.operation_counts.total > 0 ? (
        <OperationList row={row} />
      ) : (
        <Loaded of={connectors} what="The connector" skeleton={<PageSkeleton lines={3} />}>
          {() =>
            // The card says the same to an admin.
            (isByRow !== true || !isAdmin) && (
              <EmptyState icon="connectors" title="No operations">
                {isByRow === true
                  ? "An admin has not approved an operation of this row yet."
                  : "The connector of this row has no operations, or cannot be used now."}
              </EmptyState>
            )
          }
        </Loaded>
      )}
    </>
  );
}

/** Each operation with a switch, its inputs and a way to try it. */
function OperationList({ row }: { row: ShownRow }) {
  const { isAdmin } = useMe();
  const [filter, setFilter] = useState("");
  const input = { params: { row: row.id }, query: { ...(filter !== "" && { q: filter }) } };
  const pages = usePages("GET /manager/api/rows/{row}/operations", input, "after", {
    everyMs: watchMs,
  });
  const { total, enabled } = row.operation_counts;
  const found = pages.data?.pages.at(-1)?.total;
  const mayMark =
    isAdmin &&
    pages.data?.pages.some(({ operations }) => operations.some(({ may_mark: may }) => may));
  return (
    <>
      {mayMark && <ReadsButton row={row} stamp={pages.data?.pages[0]?.stamp} />}
      <div className={styles.filters}>
        <SearchField label="Filter operations" value={filter} onChange={setFilter} />
        <span className={styles.count} role="status">
          {filter === ""
            ? `${formatNumber(enabled)} of ${formatNumber(total)} enabled`
            : found !== undefined && `${formatNumber(found)} of ${formatNumber(total)} shown`}
        </span>
      </div>
      <Loaded of={pages} what="The operations" skeleton={<PageSkeleton lines={6} />}>
        {(data) =>
          found === 0 ? (
            <EmptyState icon="filter" title="No operation matches">
              Search for a part of a name or of a description.
            </EmptyState>
          ) : (
            <>
              <ul className={styles.operations}>
                {data.pages.flatMap(({ operations, stamp }) =>
                  operations.map((operation) => (
                    <OperationItem
                      key={operation.key}
                      row={row}
                      operation={operation}
                      stamp={stamp}
                    />
                  )),
                )}
              </ul>
              <MoreOperations pages={pages} />
            </>
          )
        }
      </Loaded>
    </>
  );
}
