import type { Run } from "@hub/contract/run.ts";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { StatusBadge } from "../../ui/badges/status-badge.tsx";
import { type Column, DataTable } from "../../ui/tables/data-table.tsx";
import { formatDuration } from "../../ui/text/format.ts";
import { TimeAgo } from "../../ui/text/time-ago.tsx";

const sourceNames: Record<Run["source"], string> = {
  mcp: "Client",
  test: "Test",
  retry: "Retry",
  workflow: "Workflow",
};

const columns: ReadonlyArray<Column<Run>> = [
  {
    key: "operation",
    header: "Call",
    width: "minmax(8rem, 2fr)",
    render: (run) => (
      <Link to="/manager/runs/$run" params={{ run: run.id }}>
        {run.operation_key}
      </Link>
    ),
  },
  {
    key: "row",
    header: "Row",
    width: "minmax(6rem, 1.5fr)",
    render: (run) => run.row_label ?? "–",
  },
  {
    key: "status",
    header: "Status",
    width: "6.25rem",
    render: (run) => <StatusBadge status={run.status} />,
  },
  {
    key: "user",
    header: "User",
    width: "minmax(6rem, 1.5fr)",
    isWideOnly: true,
    render: (run) => run.user ?? "Deleted user",
  },
  {
    key: "source",
    header: "Source",
    width: "5rem",
    isWideOnly: true,
    render: (run) => sourceNames[run.source],
  },
  {
    key: "latency",
    header: "Time taken",
    width: "6rem",
    align: "end",
    isWideOnly: true,
    render: (run) => (run.latency_ms === null ? "–" : formatDuration(run.latency_ms)),
  },
  {
    key: "started",
    header: "Started",
    width: "7.5rem",
    align: "end",
    render: (run) => <TimeAgo at={run.started_at} />,
  },
];

type Props = Omit<Parameters<typeof DataTable<Run>>[0], "columns" | "toKey" | "label"> & {
  /** Leaves out the row. */
  isOfOneRow?: boolean;
  /** A button at the end of each call. */
  toAction?: (run: Run) => ReactNode;
};

/** Calls, newest first. */
export function RunsTable({ toAction, isOfOneRow = false, ...props }: Props) {
  const action = toAction && { key: "action", header: "Again", width: "4.5rem", render: toAction };
  const found = isOfOneRow ? columns.filter(({ key }) => key !== "row") : columns;
  const shown = action === undefined ? found : [...found, action];
  return <DataTable {...props} label="Calls" columns={shown} toKey={(run) => run.id} />;
}
