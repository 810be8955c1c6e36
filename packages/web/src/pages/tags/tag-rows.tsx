import type { ListedRow } from "@hub/contract/listed-row.ts";
import { Button } from "@mantine/core";
import { useState } from "react";
import { usePages } from "../../api/use-api.ts";
import { DestructiveBadge } from "../../ui/badges/destructive-badge.tsx";
import { RowStateName } from "../../ui/badges/row-state.tsx";
import { Icon } from "../../ui/controls/icon.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { PageSkeleton } from "../../ui/page/page-skeleton.tsx";
import { MoreFailed } from "../../ui/tables/more-failed.tsx";
import { formatNumber } from "../../ui/text/format.ts";
import { MoreOperations } from "../rows/operations/more-operations.tsx";
import styles from "./tags.module.css";

const limit = 50;

/** What is asked for the rows with a tag. */
export const toRowsOfTag = (tag: string) =>
  ["GET /manager/api/rows", { query: { tag, limit } }, "after"] as const;

/** The rows that a tag opens, each with the operations that its users can call. */
export function TagRows({ tag }: { tag: string }) {
  const pages = usePages(...toRowsOfTag(tag));
  const { onMore, isFetchingNextPage: isLoadingMore } = pages;
  return (
    <Loaded of={pages} what="The rows" skeleton={<PageSkeleton lines={4} />}>
      {(data) => {
        const rows = data.pages.flatMap((page) => page.rows);
        if (rows.length === 0) {
          return <p>No row has this tag yet. Give it to a row on the row's page, under Access.</p>;
        }
        return (
          <>
            <ul className={styles.rows}>
              {rows.map((row) => (
                <li key={row.id}>
                  <OpenedRow row={row} />
                </li>
              ))}
            </ul>
            {onMore !== undefined && (
              <Button variant="default" size="xs" loading={isLoadingMore} onClick={onMore}>
                {`Show more of ${formatNumber(data.pages.at(-1)?.total ?? 0)} rows`}
              </Button>
            )}
            <MoreFailed of={pages} what="More rows" />
          </>
        );
      }}
    </Loaded>
  );
}

function OpenedRow({ row }: { row: ListedRow }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <Icon name="right" />
        <bdi>{row.label}</bdi>
        <span className={styles.connector}>{row.connector_name}</span>
        <RowStateName {...row.state} />
      </summary>
      {isOpen && <OpenedOperations row={row} />}
    </details>
  );
}

function OpenedOperations({ row }: { row: ListedRow }) {
  const input = { params: { row: row.id }, query: { callable: "true" as const } };
  const pages = usePages("GET /manager/api/rows/{row}/operations", input, "after");
  return (
    <Loaded of={pages} what="The operations" skeleton={<PageSkeleton lines={1} />}>
      {(data) => {
        const callable = data.pages.flatMap(({ operations }) => operations);
        return (
          <div className={styles.operations}>
            {callable.length === 0 && "No operation is enabled."}
            {callable.map(({ key, name, destructive }) => (
              <span key={key} className={styles.operation}>
                {name}
                {destructive && <DestructiveBadge />}
              </span>
            ))}
            <MoreOperations pages={pages} />
          </div>
        );
      }}
    </Loaded>
  );
}
