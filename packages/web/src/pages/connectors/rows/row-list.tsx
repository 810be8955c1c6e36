import type { Row } from "@hub/contract/row.ts";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { useApi, useChange } from "../../../api/use-api.ts";
import { TagList } from "../../../ui/badges/tag-list.tsx";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import { useToast } from "../../../ui/dialogs/toasts.tsx";
import { type Column, DataTable } from "../../../ui/tables/data-table.tsx";
import { formatNumber } from "../../../ui/text/format.ts";
import { TimeAgo } from "../../../ui/text/time-ago.tsx";
import { useAbsence } from "../../rows/use-absence.ts";
import { useMadeFrom } from "../../rows/use-made-from.ts";
import styles from "./row-list.module.css";
import { toRowState } from "./row-list-filters.ts";

type Props = { rows: readonly Row[]; isAdmin: boolean };

/** The rows of a connector. */
export function RowList({ rows, isAdmin }: Props) {
  const errors = useErrorsOfTheDay(isAdmin);
  const columns = useMemo(() => toColumns(isAdmin, errors), [isAdmin, errors]);
  return <DataTable label="Rows" rows={rows} columns={columns} toKey={({ id }) => id} />;
}

function toColumns(
  isAdmin: boolean,
  errors: ReadonlyMap<string, number> | null,
): Array<Column<Row>> {
  const columns: Array<Column<Row> | false> = [
    {
      key: "label",
      header: "Row",
      width: "minmax(6rem, 2fr)",
      render: ({ id, connector, label, description }) => (
        <Link
          className={styles.label}
          title={description || label}
          to="/manager/connectors/$key/$row"
          params={{ key: connector, row: id }}
        >
          <bdi>{label}</bdi>
        </Link>
      ),
    },
    {
      key: "tags",
      header: "Tags",
      width: "minmax(7rem, 1.5fr)",
      isWideOnly: true,
      render: ({ tags }) => <TagList tags={tags} isPlain={!isAdmin} />,
    },
    {
      key: "state",
      header: "State",
      width: "minmax(6rem, 1.75fr)",
      render: (row) => <StateOfRow row={row} />,
    },
    {
      key: "last",
      header: "Last call",
      width: "7.5rem",
      isWideOnly: true,
      render: ({ id }) => <LastCall row={id} />,
    },
    isAdmin && {
      key: "errors",
      header: "Errors today",
      width: "6.5rem",
      align: "end",
      isWideOnly: true,
      render: ({ id }) => <Errors count={errors === null ? null : (errors.get(id) ?? 0)} />,
    },
    isAdmin && {
      key: "actions",
      header: "Actions",
      width: "4.5rem",
      align: "end",
      render: (row) => <RowActions row={row} />,
    },
  ];
  return columns.filter((column) => column !== false);
}

function StateOfRow({ row }: { row: Row }) {
  const state = toRowState(row);
  const absence = useAbsence(row);
  const text = absence?.short ?? describeState(row);
  return (
    <span className={`${styles.state} ${styles[state] ?? ""}`} title={text}>
      <span>{text}</span>
    </span>
  );
}

function describeState({ disabled, disabled_type, missing }: Row): string {
  if (disabled_type) return "Connector disabled";
  if (disabled) return "Disabled";
  return missing !== null && missing.length > 0 ? `Needs setup: ${missing.join(", ")}` : "Ready";
}

const lastCallEveryMs = 30_000;

/** Read only for the rows in view. */
function LastCall({ row }: { row: string }) {
  const input = { params: { row }, query: { limit: 1 } };
  const options = { everyMs: lastCallEveryMs };
  const { data } = useApi("GET /manager/api/rows/{row}/runs", input, options);
  const last = data?.runs[0];
  if (data === undefined) return "…";
  return last === undefined ? "Never" : <TimeAgo at={last.started_at} />;
}

function Errors({ count }: { count: number | null }) {
  if (count === null) return "…";
  return count === 0 ? "0" : <span className={styles.errors}>{formatNumber(count)}</span>;
}

/** The errors of the last day by row. Null while they are not known, and for users who see none. */
function useErrorsOfTheDay(isAdmin: boolean): ReadonlyMap<string, number> | null {
  const options = { isOn: isAdmin, everyMs: 60_000 };
  const { data } = useApi("GET /manager/api/runs/summary", { query: {} }, options);
  return useMemo(() => {
    if (data === undefined) return null;
    return new Map(
      data.by_row.map(({ connector_id: id, by_status }) => [id ?? "", by_status.error ?? 0]),
    );
  }, [data]);
}

const refreshes = [
  "GET /manager/api/rows",
  "GET /manager/api/connectors",
  "GET /manager/api/connectors/{key}",
] as const;

function RowActions({ row: { id, connector, label, disabled } }: { row: Row }) {
  const madeFrom = useMadeFrom(connector);
  const toast = useToast();
  const params = { params: { row: id } };
  const onFailed = (error: Error) => toast({ kind: "error", text: error.message });
  const duplicate = useChange("POST /manager/api/rows/{row}/duplicate", {
    refreshes,
    onFailed,
    onDone: (copy) =>
      toast({ text: `${copy.label} is made. It is disabled, and its secrets must be set.` }),
  });
  const enable = useChange("POST /manager/api/rows/{row}/enable", {
    refreshes,
    onFailed,
    onDone: () => toast({ text: `${label} is enabled.` }),
  });
  const disable = useChange("POST /manager/api/rows/{row}/disable", {
    refreshes,
    onFailed,
    onDone: () => toast({ text: `${label} is disabled.`, onUndo: () => enable.run(params) }),
  });
  const isBusy = duplicate.isPending || enable.isPending || disable.isPending;
  return (
    <span className={styles.buttons}>
      {madeFrom === null && (
        <IconButton
          icon="copy"
          label={`Duplicate ${label}`}
          disabled={isBusy}
          onClick={() => duplicate.run({ ...params, body: {} })}
        />
      )}
      <IconButton
        icon={disabled ? "play" : "stop"}
        label={`${disabled ? "Enable" : "Disable"} ${label}`}
        disabled={isBusy}
        onClick={() => (disabled ? enable : disable).run(params)}
      />
    </span>
  );
}
