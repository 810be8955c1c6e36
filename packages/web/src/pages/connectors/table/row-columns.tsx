import type { ListedRow, RowSort } from "@hub/contract/listed-row.ts";
import { Link } from "@tanstack/react-router";
import { RowStateLine } from "../../../ui/badges/row-state.tsx";
import { TagList } from "../../../ui/badges/tag-list.tsx";
import type { Column } from "../../../ui/tables/data-table.tsx";
import { formatDuration, formatNumber } from "../../../ui/text/format.ts";
import { TimeAgo } from "../../../ui/text/time-ago.tsx";
import { ConnectorLink } from "../../rows/row-crumbs.tsx";
import { fitColumns } from "./fit-columns.ts";
import { RowActions } from "./row-actions.tsx";
import { LabelHeader, RowLabel, SortHeader } from "./row-cells.tsx";
import { type RowFilters, toggleSort } from "./row-filters.ts";
import styles from "./row-table.module.css";
import type { Picks } from "./use-selection.ts";

export type RowColumn = Column<ListedRow> & {
  sort?: RowSort;
  /** How early the column is left out of a narrow table: 0 is never, else the lowest first. */
  rank: number;
  minRem: number;
};

type Shown = { isAdmin: boolean; hasFigures: boolean; hasConnector: boolean };

/** The columns that the caller has. */
export function listColumns({ isAdmin, hasFigures, hasConnector }: Shown): RowColumn[] {
  return [
    {
      key: "label",
      header: "Label",
      sort: "label",
      rank: 0,
      minRem: 11,
      width: "minmax(11rem, 2fr)",
      render: (row) => <RowLabel row={row} picks={null} />,
    },
    ...(hasConnector ? [connectorColumn] : []),
    {
      key: "state",
      header: "State",
      sort: "state",
      rank: 0,
      minRem: 14,
      width: "minmax(14rem, 4fr)",
      render: ({ state }) => <RowStateLine state={state} />,
    },
    {
      key: "tags",
      header: "Tags",
      rank: 1,
      minRem: 8.5,
      width: "minmax(8.5rem, 2.5fr)",
      isWideOnly: true,
      render: ({ tags }) => <TagList tags={tags} isPlain={!isAdmin} />,
    },
    toNumber("operations", "Operations on", 4, 7, ({ operations_enabled: on }) => formatNumber(on)),
    ...(hasFigures ? figureColumns : []),
    ...(isAdmin ? [actionColumn] : []),
  ];
}

const connectorColumn: RowColumn = {
  key: "connector",
  header: "Connector",
  sort: "connector",
  rank: 3,
  minRem: 6.75,
  width: "minmax(6.75rem, 1fr)",
  isWideOnly: true,
  render: ({ connector }) => <ConnectorLink connector={connector} />,
};

const figureColumns: readonly RowColumn[] = [
  toNumber("calls", "Calls", 6, 3.5, ({ activity }) => formatNumber(activity?.calls ?? 0)),
  toNumber("errors", "Errors", 7, 4, (row) => <Errors row={row} />),
  toNumber("p95", "p95", 2, 4.25, ({ activity }) =>
    activity?.p95_ms == null ? "–" : formatDuration(activity.p95_ms),
  ),
  toNumber("last_call", "Last call", 5, 6.75, ({ activity }) =>
    activity?.last_call_at == null ? "–" : <TimeAgo at={activity.last_call_at} />,
  ),
];

const actionColumn: RowColumn = {
  key: "actions",
  header: "Actions",
  isHeaderHidden: true,
  rank: 0,
  minRem: 4.25,
  width: "4.25rem",
  align: "end",
  render: (row) => <RowActions row={row} />,
};

function toNumber(
  key: RowSort | "operations",
  header: string,
  rank: number,
  minRem: number,
  render: RowColumn["render"],
): RowColumn {
  return {
    key,
    header,
    ...(key !== "operations" && { sort: key }),
    rank,
    minRem,
    width: `${minRem}rem`,
    align: "end",
    isWideOnly: true,
    render,
  };
}

/** The errors, with a link to these calls. */
function Errors({ row: { id, activity } }: { row: ListedRow }) {
  const errors = activity?.errors ?? 0;
  if (errors === 0) return "0";
  return (
    <Link className={styles.errors} to="/manager/runs" search={{ row: id, status: "error" }}>
      {formatNumber(errors)}
    </Link>
  );
}

type Look = {
  sort: RowFilters["sort"] | undefined;
  order: RowFilters["order"] | undefined;
  widthRem: number | null;
  /** Null if nothing can be chosen. */
  picks: Picks | null;
  onSort: (change: Pick<RowFilters, "sort" | "order">) => void;
};

/** The columns that fit, with the check boxes and the headers that sort. A phone shows no headers. */
export function toShownColumns(columns: readonly RowColumn[], look: Look): RowColumn[] {
  const { picks, widthRem } = look;
  return fitColumns(columns, widthRem).map((column) => {
    const shown = widthRem === null ? column : { ...column, ...toSorted(column, look) };
    if (column.key !== "label") return shown;
    const { head } = shown;
    return {
      ...shown,
      ...(head !== undefined && { head: <LabelHeader picks={picks}>{head}</LabelHeader> }),
      render: (row: ListedRow) => <RowLabel row={row} picks={picks} />,
    };
  });
}

/** Without a sort in the address, the rows are sorted by their labels. */
function toSorted(
  { header, sort: by }: RowColumn,
  { sort = "label", order = "asc", onSort }: Look,
): Pick<RowColumn, "head" | "sorted"> {
  if (by === undefined) return {};
  const isBy = sort === by;
  return {
    sorted: !isBy ? "none" : order === "desc" ? "descending" : "ascending",
    head: (
      <SortHeader
        header={header}
        order={isBy ? order : null}
        onSort={() => onSort(toggleSort({ sort, order }, by))}
      />
    ),
  };
}
