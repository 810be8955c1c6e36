import { Tabs } from "@mantine/core";
import { useRef } from "react";
import { usePages } from "../../../api/use-api.ts";
import { EmptyState } from "../../../ui/page/empty-state.tsx";
import { Loaded } from "../../../ui/page/loaded.tsx";
import { Page } from "../../../ui/page/page-frame.tsx";
import { DataTable } from "../../../ui/tables/data-table.tsx";
import { FilterBar, FilterSelect } from "../../../ui/tables/filter-bar.tsx";
import { MoreFailed } from "../../../ui/tables/more-failed.tsx";
import { TableSkeleton } from "../../../ui/tables/table-skeleton.tsx";
import { useFilters } from "../../../ui/tables/use-filters.ts";
import { type ApprovalFilters, approvalStateNames } from "../approval-filters.ts";
import { KeysButton, useKeysDialog } from "../keys/keys-button.tsx";
import { useKeysOn } from "../keys/use-keys.ts";
import { decidedColumns, waitingColumns } from "./approval-columns.tsx";
import styles from "./approvals-page.module.css";
import { useListKeys } from "./use-list-keys.ts";

const everyMs = 10_000;
const pageSize = 100;

/** What runs of workflows ask of people. */
export function ApprovalsPage() {
  const { filters, set, go } = useFilters<ApprovalFilters>();
  const isDecided = filters.tab === "decided";
  const tab = isDecided ? "decided" : "waiting";
  const keys = useKeysDialog();
  const list = useRef<HTMLDivElement>(null);
  useListKeys(list, keys.open);
  return (
    <Page
      title="Approvals"
      lead="Runs of workflows that wait for the decision of a person, and what was decided."
      actions={<KeysButton onOpen={keys.open} />}
    >
      <Tabs
        value={tab}
        keepMounted={false}
        onChange={(next) => go({ tab: next === "decided" ? "decided" : undefined, state: "" })}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="waiting">Waiting</Tabs.Tab>
          <Tabs.Tab value="decided">Decided</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value={tab}>
          <FilterBar
            onClear={
              filters.state !== undefined || filters.workflow !== undefined || filters.who === "all"
                ? () => set({ state: "", workflow: "", who: "" })
                : undefined
            }
          >
            <FilterSelect
              label="Approver"
              any="Asked of me"
              options={[{ value: "all", label: "All that I can see" }]}
              value={filters.who}
              onChange={(who) => set({ who: who === "all" ? "all" : undefined })}
            />
            {isDecided && (
              <FilterSelect
                label="State"
                any="Any outcome"
                options={outcomes.map((value) => ({ value, label: approvalStateNames[value] }))}
                value={filters.state}
                onChange={(value) => set({ state: outcomes.find((one) => one === value) })}
              />
            )}
          </FilterBar>
          <div ref={list} className={styles.list}>
            <List filters={filters} isDecided={isDecided} />
          </div>
        </Tabs.Panel>
      </Tabs>
      {keys.dialog}
    </Page>
  );
}

const outcomes = ["approved", "denied", "expired", "cancelled"] as const;

function List({ filters, isDecided }: { filters: ApprovalFilters; isDecided: boolean }) {
  const { who, workflow, state } = filters;
  const wanted = isDecided ? state : ("pending" as const);
  const pages = usePages(
    "GET /manager/api/approvals",
    {
      query: {
        limit: pageSize,
        ...(wanted !== undefined && { state: wanted }),
        ...(workflow !== undefined && { workflow }),
        ...(who === undefined && { mine: "true" as const }),
      },
    },
    "after",
    { everyMs },
  );
  return (
    <Loaded
      of={pages}
      what="The approvals"
      skeleton={<TableSkeleton columns={isDecided ? decidedColumns : waitingColumns} lines={5} />}
    >
      {(data) => {
        const all = data.pages.flatMap((page) => page.approvals);
        const rows = isDecided ? all.filter((one) => one.state !== "pending") : all;
        if (rows.length === 0 && !pages.hasNextPage) return <Nothing isDecided={isDecided} />;
        return (
          <>
            <DataTable
              opensRows
              label="Approvals"
              rows={rows}
              columns={isDecided ? decidedColumns : waitingColumns}
              toKey={({ id }) => id}
              onMore={pages.onMore}
              isLoadingMore={pages.isFetching}
            />
            <MoreFailed of={pages} what="More approvals" />
            <KeysLine />
          </>
        );
      }}
    </Loaded>
  );
}

function KeysLine() {
  const [isOn] = useKeysOn();
  if (!isOn) return null;
  return (
    <p className={styles.keys}>
      <kbd>j</kbd> <kbd>k</kbd> move, <kbd>Enter</kbd> opens, <kbd>?</kbd> shows all keys.
    </p>
  );
}

function Nothing({ isDecided }: { isDecided: boolean }) {
  if (isDecided) {
    return (
      <EmptyState icon="check" title="Nothing was decided here">
        What was approved, denied, or expired is listed here, with who decided and why.
      </EmptyState>
    );
  }
  return (
    <EmptyState icon="check" title="Nothing waits for you">
      A workflow with an approval stops there, until one of the approvers that it names decides.
    </EmptyState>
  );
}
