import type { ListedOperation } from "@hub/contract/row.ts";
import { Badge, Button, Checkbox, Switch } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useApi, useChange, usePages } from "../../api/use-api.ts";
import { useMe } from "../../api/use-me.ts";
import { DestructiveBadge } from "../../ui/destructive-badge.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { formatNumber } from "../../ui/format.ts";
import { Icon } from "../../ui/icon.tsx";
import { JsonTree } from "../../ui/json-tree.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { PageSkeleton } from "../../ui/page-skeleton.tsx";
import { SearchField } from "../../ui/search-field.tsx";
import { StateBadge } from "../../ui/state-badge.tsx";
import { DiscoveryCard } from "./discovery-card.tsx";
import { MoreOperations } from "./more-operations.tsx";
import { operationRefreshes, ReadsButton, toStamp } from "./reads-button.tsx";
import { ReviewList } from "./review-list.tsx";
import styles from "./rows.module.css";
import { mayTest, type ShownRow } from "./shown-row.ts";
import { type ReviewPlace, useOperationsByRow } from "./use-review.ts";

const watchMs = 10_000;

type TabProps = {
  row: ShownRow;
  /** The part of the review that is shown. */
  place: ReviewPlace;
};

/** The operations of a row: what waits for a review, and all of them. */
export function OperationsTab({ row, place }: TabProps) {
  const { isAdmin } = useMe();
  const connectors = useApi("GET /manager/api/connectors", {});
  const isByRow = useOperationsByRow(row.connector);
  return (
    <>
      {isAdmin && isByRow === true && (
        <>
          <DiscoveryCard row={row} place={place} />
          <ReviewList row={row} place={place} />
        </>
      )}
      {row.operation_counts.total > 0 ? (
        <OperationList row={row} mayMark={isAdmin && isByRow === true} />
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
function OperationList({ row, mayMark }: { row: ShownRow; mayMark: boolean }) {
  const [filter, setFilter] = useState("");
  const input = { params: { row: row.id }, query: { ...(filter !== "" && { q: filter }) } };
  const pages = usePages("GET /manager/api/rows/{row}/operations", input, "after", {
    everyMs: watchMs,
  });
  const { total, enabled } = row.operation_counts;
  const found = pages.data?.pages.at(-1)?.total;
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
                    <Operation key={operation.key} row={row} operation={operation} stamp={stamp} />
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

const reviewBadges = {
  new: { tone: "warn", text: "New, waits for a review" },
  changed: { tone: "warn", text: "Changed, waits for a review" },
  invalid: { tone: "warn", text: "Invalid" },
  gone: { tone: "off", text: "Gone" },
} as const;

type Props = { row: ShownRow; operation: ListedOperation; stamp: string | null };

function Operation({ row, operation, stamp }: Props) {
  const { isAdmin } = useMe();
  const { key, name, enabled, review, destructive, description } = operation;
  const { test_only: isTestOnly, reads } = operation;
  const isUsable = !review;
  const refreshes = operationRefreshes;
  const mark = useChange("POST /manager/api/rows/{row}/reads", { refreshes });
  const enable = useChange("POST /manager/api/rows/{row}/operations/{operation}/enable", {
    refreshes,
  });
  const disable = useChange("POST /manager/api/rows/{row}/operations/{operation}/disable", {
    refreshes,
  });
  const [isOpen, setOpen] = useState(false);
  const change = enabled ? disable : enable;
  const failure = enable.error ?? disable.error ?? mark.error;
  return (
    <li className={styles.operation}>
      <div className={styles.operationHead}>
        <div className={styles.operationName}>
          <strong>{name}</strong> {name !== key && <code>{key}</code>}
          {destructive && <DestructiveBadge />}
          {isTestOnly && <Badge color="gray">Only in widgets and tests</Badge>}
          {review && <StateBadge {...reviewBadges[review]} />}
        </div>
        {mayTest(row, isAdmin) && (
          <div className={styles.operationActions}>
            {isUsable && (
              <Button
                size="xs"
                variant="default"
                aria-label={`Test ${key}`}
                renderRoot={(props) => (
                  <Link
                    {...props}
                    to="/manager/connectors/$key/$row"
                    params={{ key: row.connector, row: row.id }}
                    search={{ tab: "test", op: key }}
                  />
                )}
              >
                Test
              </Button>
            )}
            {isAdmin && reads !== undefined && (
              <Checkbox
                size="xs"
                label="Only reads"
                aria-label={`${key} only reads`}
                checked={reads}
                disabled={mark.isPending || !isUsable}
                onChange={() =>
                  mark.run({
                    params: { row: row.id },
                    body: { operations: [key], reads: !reads, ...toStamp(stamp) },
                  })
                }
              />
            )}
            {isAdmin && !isTestOnly && (
              <Switch
                aria-label={`${key} is enabled`}
                checked={isUsable && (change.isPending ? !enabled : enabled)}
                disabled={change.isPending || !isUsable}
                onChange={() => change.run({ params: { row: row.id, operation: key } })}
              />
            )}
          </div>
        )}
      </div>
      {description !== "" && !isOpen && <p className={styles.lead}>{description}</p>}
      {failure !== null && (
        <p className={styles.bad} role="alert">
          {failure.message}
        </p>
      )}
      <button
        type="button"
        className={styles.disclosure}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name={isOpen ? "down" : "right"} />
        {`Details of ${key}`}
      </button>
      {isOpen && <InputSchema row={row.id} operation={key} />}
    </li>
  );
}

/** The whole description of an operation, and its inputs. */
function InputSchema({ row, operation }: { row: string; operation: string }) {
  const params = { row, operation };
  const form = useApi("GET /manager/api/rows/{row}/operations/{operation}", { params });
  return (
    <Loaded of={form} what="The inputs" skeleton={<PageSkeleton lines={3} />}>
      {({ input_schema, description }) => (
        <>
          {description !== "" && <p className={styles.lead}>{description}</p>}
          <JsonTree value={input_schema} label={`Inputs of ${operation}`} />
        </>
      )}
    </Loaded>
  );
}
