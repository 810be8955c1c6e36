import { Button, NativeSelect } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { usePages } from "../../api/use-api.ts";
import { useMe } from "../../api/use-me.ts";
import { EmptyState } from "../../ui/page/empty-state.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { MoreFailed } from "../../ui/tables/more-failed.tsx";
import { statusNames } from "../../ui/text/call-names.ts";
import { RunsTable, RunsTableSkeleton } from "../runs/runs-table.tsx";
import { OperationSelect } from "./operation-select.tsx";
import styles from "./rows.module.css";
import type { ShownRow } from "./shown-row.ts";

const statuses = ["running", "success", "error", "denied", "cancelled"] as const;
const pageSize = 100;

/** The calls of this row, newest first. */
export function HistoryTab({ row }: { row: ShownRow }) {
  const { isAdmin } = useMe();
  const [status, setStatus] = useState<(typeof statuses)[number] | undefined>();
  const [operation, setOperation] = useState("");
  const query = { limit: pageSize, ...(status && { status }), ...(operation && { operation }) };
  const input = { params: { row: row.id }, query };
  const pages = usePages("GET /manager/api/rows/{row}/runs", input, "before");
  return (
    <>
      <div className={`${styles.filters} ${styles.callFilters}`}>
        <NativeSelect
          aria-label="Status"
          value={status ?? ""}
          data={[
            { value: "", label: "Any status" },
            ...statuses.map((one) => ({ value: one, label: statusNames[one] })),
          ]}
          onChange={({ currentTarget: { value } }) =>
            setStatus(statuses.find((one) => one === value))
          }
        />
        <OperationSelect
          row={row.id}
          any="Any operation"
          chosen={operation === "" ? null : { key: operation, label: operation }}
          toLabel={({ key }) => key}
          onChange={(key) => setOperation(key ?? "")}
        />
        {isAdmin && (
          <Link to="/manager/runs" search={{ row: row.id }}>
            All filters
          </Link>
        )}
      </div>
      <Loaded of={pages} what="The calls" skeleton={<RunsTableSkeleton isOfOneRow />}>
        {(data) => {
          const runs = data.pages.flatMap((page) => page.runs);
          if (runs.length === 0 && !pages.hasNextPage) {
            return (
              <EmptyState icon="runs" title="No calls">
                {status === undefined && operation === ""
                  ? "Calls and tests of this row are recorded here."
                  : "No call of this row matches the filters."}
              </EmptyState>
            );
          }
          return (
            <>
              <RunsTable
                rows={runs}
                isOfOneRow
                onMore={pages.onMore}
                isLoadingMore={pages.isFetching}
                {...(isAdmin && {
                  toAction: (run) => (
                    <Button
                      size="compact-xs"
                      variant="default"
                      aria-label={`Reuse the params of ${run.operation_key}`}
                      renderRoot={(props) => (
                        <Link
                          {...props}
                          to="/manager/connectors/$key/$row"
                          params={{ key: row.connector, row: row.id }}
                          search={{ tab: "test", op: run.operation_key, prefill: run.id }}
                        />
                      )}
                    >
                      Reuse
                    </Button>
                  ),
                })}
              />
              <MoreFailed of={pages} what="More calls" />
            </>
          );
        }}
      </Loaded>
    </>
  );
}
