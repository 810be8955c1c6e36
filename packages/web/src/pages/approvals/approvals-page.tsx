import type { WorkflowApproval } from "@hub/contract/workflow-approval.ts";
import { Tabs } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { usePages } from "../../api/use-api.ts";
import { EmptyState } from "../../ui/page/empty-state.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { Page } from "../../ui/page/page-frame.tsx";
import { type Column, DataTable } from "../../ui/tables/data-table.tsx";
import { FilterBar, FilterSelect } from "../../ui/tables/filter-bar.tsx";
import { MoreFailed } from "../../ui/tables/more-failed.tsx";
import { TableSkeleton } from "../../ui/tables/table-skeleton.tsx";
import { useFilters } from "../../ui/tables/use-filters.ts";
import { TimeAt } from "../../ui/text/time-at.tsx";
import { type ApprovalFilters, approvalStateNames } from "./approval-filters.ts";
import { ApprovalState } from "./approval-state.tsx";

const everyMs = 10_000;
const pageSize = 100;

/** What runs of workflows ask of people. */
export function ApprovalsPage() {
  const { filters, set, go } = useFilters<ApprovalFilters>();
  const isDecided = filters.tab === "decided";
  const tab = isDecided ? "decided" : "waiting";
  return (
    <Page
      title="Approvals"
      lead="Runs of workflows that wait for the decision of a person, and what was decided."
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
          <List filters={filters} isDecided={isDecided} />
        </Tabs.Panel>
      </Tabs>
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
          </>
        );
      }}
    </Loaded>
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

const title: Column<WorkflowApproval> = {
  key: "title",
  header: "Question",
  width: "minmax(10rem, 3fr)",
  render: ({ id, title: text }) => (
    <Link to="/approvals/$approval" params={{ approval: id }} title={text}>
      <bdi>{text}</bdi>
    </Link>
  ),
};
const workflow: Column<WorkflowApproval> = {
  key: "workflow",
  header: "Workflow",
  width: "minmax(7rem, 1.6fr)",
  render: ({ workflow_name: name }) => <bdi>{name}</bdi>,
};
const starter: Column<WorkflowApproval> = {
  key: "starter",
  header: "Started by",
  width: "minmax(7rem, 1.6fr)",
  isWideOnly: true,
  render: ({ started_by: by }) => <bdi>{by}</bdi>,
};

const waitingColumns: ReadonlyArray<Column<WorkflowApproval>> = [
  title,
  workflow,
  starter,
  {
    key: "refusal",
    header: "You",
    width: "minmax(6rem, 1.6fr)",
    render: ({ may_decide: mayDecide, refusal }) =>
      mayDecide ? "May decide" : <span title={refusal ?? ""}>{refusal ?? "May not decide"}</span>,
  },
  {
    key: "expires",
    header: "Expires",
    width: "8.5rem",
    align: "end",
    render: ({ expires_at: at }) => <TimeAt at={at} />,
  },
];

const decidedColumns: ReadonlyArray<Column<WorkflowApproval>> = [
  title,
  workflow,
  {
    key: "state",
    header: "Outcome",
    width: "6rem",
    render: ({ state }) => <ApprovalState state={state} />,
  },
  {
    key: "by",
    header: "By",
    width: "minmax(7rem, 1.6fr)",
    isWideOnly: true,
    render: ({ decided_by: by, comment }) => (
      <span title={comment ?? ""}>
        <bdi>{by ?? "–"}</bdi>
      </span>
    ),
  },
  {
    key: "at",
    header: "When",
    width: "8.5rem",
    align: "end",
    render: ({ decided_at: at, expires_at: expired }) => <TimeAt at={at ?? expired} />,
  },
];
