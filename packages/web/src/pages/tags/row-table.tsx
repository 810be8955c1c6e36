import type { Row } from "@hub/contract/row.ts";
import { Link } from "@tanstack/react-router";
import { StateBadge } from "../../ui/badges/state-badge.tsx";
import { TagList } from "../../ui/badges/tag-list.tsx";
import { type Column, DataTable } from "../../ui/tables/data-table.tsx";

/** Also for the shape of the table while it loads. */
export const rowColumns: ReadonlyArray<Column<Row>> = [
  {
    key: "label",
    header: "Row",
    width: "minmax(8rem, 2fr)",
    render: ({ connector, id, label }) => (
      <Link to="/manager/connectors/$key/$row" params={{ key: connector, row: id }} title={label}>
        {label}
      </Link>
    ),
  },
  {
    key: "connector",
    header: "Connector",
    width: "minmax(6rem, 1fr)",
    isWideOnly: true,
    render: ({ connector }) => connector,
  },
  {
    key: "tags",
    header: "Tags",
    width: "minmax(8rem, 2fr)",
    isWideOnly: true,
    render: ({ tags }) => <TagList tags={tags} none="Admins only" />,
  },
  {
    key: "state",
    header: "State",
    width: "7rem",
    render: (row) => <RowState row={row} />,
  },
];

/** Rows with the tags that open them. */
export function RowTable({ rows }: { rows: readonly Row[] }) {
  return <DataTable label="Rows" rows={rows} columns={rowColumns} toKey={({ id }) => id} />;
}

function RowState({ row }: { row: Row }) {
  if (row.disabled || row.disabled_type) return <StateBadge tone="off" text="Disabled" />;
  if (row.missing === null) return <StateBadge tone="bad" text="No connector" />;
  if (row.missing.length > 0) return <StateBadge tone="warn" text="Needs setup" />;
  return <StateBadge tone="good" text="Enabled" />;
}
