import type { WebhookDelivery } from "@hub/contract/workflow-webhook.ts";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { usePages } from "../../../api/use-api.ts";
import { StateBadge } from "../../../ui/badges/state-badge.tsx";
import { Card } from "../../../ui/page/card.tsx";
import { Loaded } from "../../../ui/page/loaded.tsx";
import { type Column, DataTable } from "../../../ui/tables/data-table.tsx";
import { FilterBar, FilterSelect } from "../../../ui/tables/filter-bar.tsx";
import { MoreFailed } from "../../../ui/tables/more-failed.tsx";
import { TableSkeleton } from "../../../ui/tables/table-skeleton.tsx";
import { formatDuration, formatNumber } from "../../../ui/text/format.ts";
import { TimeAt } from "../../../ui/text/time-at.tsx";
import { WorkflowRunLink } from "../../../workflow-parts/runs/run-link.tsx";
import styles from "../workflows.module.css";

const everyMs = 5_000;
const pageSize = 100;
const address = "/workflows/$workflow" as const;
const outcomes = [
  { value: "accepted", label: "Accepted" },
  { value: "refused", label: "Refused" },
] as const;

type Props = { workflow: string; triggers: ReadonlyArray<{ id: string; label: string }> };

/** The last requests to the webhooks of a workflow, and what they were answered. */
export function Deliveries({ workflow, triggers }: Props) {
  const { outcome, trigger } = useSearch({ from: address });
  const navigate = useNavigate({ from: address });
  const set = (change: { outcome?: "accepted" | "refused" | undefined; trigger?: string }) => {
    const next = { outcome, trigger, ...change };
    void navigate({
      search: {
        tab: "webhooks",
        ...(next.outcome !== undefined && { outcome: next.outcome }),
        ...(next.trigger && { trigger: next.trigger }),
      },
      replace: true,
    });
  };
  const isFiltered = outcome !== undefined || trigger !== undefined;
  const pages = usePages(
    "GET /manager/api/workflows/{workflow}/deliveries",
    { params: { workflow }, query: { outcome, trigger, limit: pageSize } },
    "after",
    { everyMs },
  );
  return (
    <Card title="Last requests">
      <FilterBar onClear={isFiltered ? () => set({ outcome: undefined, trigger: "" }) : undefined}>
        <FilterSelect
          label="Outcome"
          any="Any outcome"
          options={outcomes}
          value={outcome}
          onChange={(value) => set({ outcome: outcomes.find((one) => one.value === value)?.value })}
        />
        <FilterSelect
          label="Trigger"
          any="Any trigger"
          options={triggers.map(({ id, label }) => ({ value: id, label }))}
          value={trigger}
          onChange={(value) => set({ trigger: value })}
        />
      </FilterBar>
      <Loaded
        of={pages}
        what="The requests"
        skeleton={<TableSkeleton columns={toColumns(workflow)} lines={4} />}
      >
        {(data) => {
          const deliveries = data.pages.flatMap((page) => page.deliveries);
          if (deliveries.length === 0) {
            return <p>{isFiltered ? "No request matches the filters." : "No requests yet."}</p>;
          }
          return (
            <>
              <DataTable
                label="Requests"
                rows={deliveries}
                columns={toColumns(workflow)}
                toKey={({ id }) => id}
                onMore={pages.onMore}
                isLoadingMore={pages.isFetching}
              />
              <MoreFailed of={pages} what="More requests" />
            </>
          );
        }}
      </Loaded>
    </Card>
  );
}

function toColumns(workflow: string): Array<Column<WebhookDelivery>> {
  return [
    {
      key: "request",
      header: "Request",
      width: "minmax(8rem, 1.5fr)",
      render: (one) => (
        <span title={`${one.method} /${one.path}`}>
          {`${one.method} /${one.path}`}
          {one.is_test && " (test)"}
          {one.requests > 1 && ` × ${formatNumber(one.requests)}`}
        </span>
      ),
    },
    {
      key: "status",
      header: "Answer",
      width: "5.5rem",
      render: ({ status, outcome }) => (
        <StateBadge
          tone={outcome === "accepted" && status < 400 ? "good" : "bad"}
          text={`${status}`}
        />
      ),
    },
    {
      key: "why",
      header: "What happened",
      width: "minmax(10rem, 3fr)",
      render: (one) => <Outcome workflow={workflow} delivery={one} />,
    },
    {
      key: "took",
      header: "Took",
      width: "5rem",
      align: "end",
      isWideOnly: true,
      render: ({ duration_ms: ms }) => formatDuration(ms),
    },
    {
      key: "at",
      header: "When",
      width: "8.5rem",
      align: "end",
      render: ({ at }) => <TimeAt at={at} />,
    },
  ];
}

function Outcome({ workflow, delivery }: { workflow: string; delivery: WebhookDelivery }) {
  const { run_id: run, explanation, message, is_repeated: isRepeated } = delivery;
  if (run !== null) {
    return (
      <>
        <WorkflowRunLink workflow={workflow} run={run}>
          {isRepeated ? "The run of the first delivery" : "Started a run"}
        </WorkflowRunLink>
        {message !== null && <span className={styles.when}>{` ${message}`}</span>}
      </>
    );
  }
  const text = explanation ?? message ?? "–";
  return (
    <span className={styles.reason} title={text}>
      {text}
    </span>
  );
}
