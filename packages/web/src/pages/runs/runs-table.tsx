import type { Run } from "@hub/contract/run.ts";
import { useMediaQuery } from "@mantine/hooks";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import { StatusBadge } from "../../ui/badges/status-badge.tsx";
import { WithLogo } from "../../ui/badges/with-logo.tsx";
import { type Column, DataTable } from "../../ui/tables/data-table.tsx";
import { TableSkeleton } from "../../ui/tables/table-skeleton.tsx";
import {
  toCallArgument,
  toCaller,
  toCallName,
  toClient,
  toMaker,
} from "../../ui/text/call-names.ts";
import { formatDuration, formatNumber } from "../../ui/text/format.ts";
import { CallTime } from "./call-time.tsx";
import styles from "./runs-table.module.css";

type TableProps = Parameters<typeof DataTable<Run>>[0];
type Props = Pick<TableProps, "rows" | "onMore" | "isLoadingMore"> & {
  /** Leaves out the row. */
  isOfOneRow?: boolean;
  /** All calls are of one user. */
  isOwn?: boolean;
  /** There is something beside the table. */
  isNarrowed?: boolean;
  /** The call that is shown beside the table. */
  open?: string | undefined;
  /** Opens calls beside the table instead of on their pages. */
  opensBeside?: boolean;
  /** A button at the end of each call. */
  toAction?: (run: Run) => ReactNode;
};

/** Calls, newest first. */
export function RunsTable(props: Props) {
  const { rows, onMore, isLoadingMore = false } = props;
  return (
    <div className={styles.calls}>
      <DataTable
        label="Calls"
        columns={useCallColumns(props)}
        rows={rows}
        toKey={(run) => run.id}
        onMore={onMore}
        isLoadingMore={isLoadingMore}
        opensRows
      />
    </div>
  );
}

type ColumnProps = Omit<Props, "rows" | "onMore" | "isLoadingMore">;

/** The table while it loads. */
export function RunsTableSkeleton({ lines, ...props }: ColumnProps & { lines?: number }) {
  return <TableSkeleton columns={useCallColumns(props)} {...(lines !== undefined && { lines })} />;
}

function useCallColumns(props: ColumnProps): ReadonlyArray<Column<Run>> {
  const { toAction, isOfOneRow = false, isNarrowed = false, isOwn = false } = props;
  const { open, opensBeside = false } = props;
  const isPhone = useMediaQuery("(max-width: 40rem)", false, { getInitialValueInEffect: false });
  const isWide = useMediaQuery("(min-width: 80rem)", false, { getInitialValueInEffect: false });
  return useMemo(() => {
    const call: Column<Run> = {
      key: "operation",
      header: "Call",
      width: "minmax(9rem, 2.2fr)",
      render: (run) => <CallLink run={run} isOpen={run.id === open} opensBeside={opensBeside} />,
    };
    const action = toAction && {
      key: "action",
      header: "Action",
      width: "4.5rem",
      align: "end" as const,
      isAction: true,
      render: toAction,
    };
    const row = isOfOneRow ? [] : [rowColumn];
    const end = action === undefined ? [] : [action];
    const user = isOwn ? [] : [userColumn];
    if (isPhone) {
      const time: Column<Run> = { ...timeColumn, align: "end" };
      return [call, time, ...row, ...user, ...end, outcomeColumn];
    }
    const wide = isWide && !isNarrowed ? [clientColumn, ...user] : [];
    return [timeColumn, ...row, call, outcomeColumn, ...wide, tookColumn, ...end];
  }, [toAction, isOfOneRow, isOwn, isPhone, isWide, isNarrowed, open, opensBeside]);
}

const timeColumn: Column<Run> = {
  key: "started",
  header: "Time",
  width: "8.5rem",
  render: (run) => <CallTime at={run.started_at} />,
};
const rowColumn: Column<Run> = {
  key: "row",
  header: "Row",
  width: "minmax(6rem, 1.1fr)",
  render: ({ row_label: label, connector_id: id, logo }) =>
    label === null ? (
      "–"
    ) : (
      <WithLogo connectorKey={id ?? ""} name={label} logo={logo}>
        <span title={label}>{label}</span>
      </WithLogo>
    ),
};
const outcomeColumn: Column<Run> = {
  key: "status",
  header: "Outcome",
  width: "minmax(8.5rem, 2.4fr)",
  render: (run) => <Outcome run={run} />,
};
const clientColumn: Column<Run> = {
  key: "client",
  header: "Client",
  width: "minmax(5rem, 0.9fr)",
  render: (run) => <span title={run.user_agent ?? ""}>{toClient(run)}</span>,
};
const userColumn: Column<Run> = {
  key: "user",
  header: "User",
  width: "minmax(6rem, 1.3fr)",
  render: (run) => <span title={toCaller(run)}>{toCaller(run)}</span>,
};
const tookColumn: Column<Run> = {
  key: "latency",
  header: "Took",
  width: "4.5rem",
  align: "end",
  render: (run) => (run.latency_ms === null ? "–" : formatDuration(run.latency_ms)),
};

type LinkProps = { run: Run; isOpen: boolean; opensBeside: boolean };

/** The operation with the argument that distinguishes the call: `get /orders/17`. */
function CallLink({ run, isOpen, opensBeside }: LinkProps) {
  const name = toCallName(run);
  const argument = toCallArgument(run);
  const maker = toMaker(run);
  const whole = argument === null ? name : `${name} ${argument}`;
  const text = (
    <>
      {maker !== null && (
        <span className={styles.argument} aria-hidden>
          {"↳ "}
        </span>
      )}
      {name}
      {argument !== null && <span className={styles.argument}> {argument}</span>}
    </>
  );
  const shared = {
    title: maker === null ? whole : `${whole}, made by ${maker}`,
    "data-run": run.id,
    "data-shown": isOpen || undefined,
  };
  return opensBeside ? (
    <Link
      {...shared}
      to="/manager/runs"
      search={(before: object) => ({ ...before, open: run.id })}
      resetScroll={false}
    >
      {text}
    </Link>
  ) : (
    <Link {...shared} to="/manager/runs/$run" params={{ run: run.id }}>
      {text}
    </Link>
  );
}

/** How a call ended; of one that failed, the status of the outside system and the reason in one line. */
function Outcome({ run }: { run: Run }) {
  const { error_code: code, error_msg: message, http_status: status } = run;
  const reason = message ?? code ?? toFailedCalls(run);
  return (
    <span className={styles.outcome}>
      <StatusBadge status={run.status} />
      {status !== null && <span className={styles.http}>{status}</span>}
      {reason !== null && (
        <span className={styles.reason} title={reason}>
          {reason}
        </span>
      )}
    </span>
  );
}

/** A message or script succeeds although some of its calls failed. */
function toFailedCalls({ calls }: Run): string | null {
  if (calls === undefined || calls.failed === 0) return null;
  return `${formatNumber(calls.failed)} of ${formatNumber(calls.total)} failed`;
}
