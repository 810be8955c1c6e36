import type { ListedRow } from "@hub/contract/listed-row.ts";
import { Link } from "@tanstack/react-router";
import { RowStateName } from "../../ui/badges/row-state.tsx";
import { TagList } from "../../ui/badges/tag-list.tsx";
import { WithLogo } from "../../ui/badges/with-logo.tsx";
import { type Column, DataTable } from "../../ui/tables/data-table.tsx";

/** Also for the shape of the table while it loads. */
export const rowColumns: ReadonlyArray<Column<ListedRow>> = [
  {
    key: "label",
    header: "Row",
    width: "minmax(8rem, 2fr)",
    render: ({ connector, id, label, logo }) => (
      <WithLogo connectorKey={connector} name={label} logo={logo}>
        <Link to="/manager/connectors/$key/$row" params={{ key: connector, row: id }} title={label}>
          {label}
        </Link>
      </WithLogo>
    ),
  },
  {
    key: "connector",
    header: "Connector",
    width: "minmax(6rem, 1fr)",
    isWideOnly: true,
    render: ({ connector_name: name }) => <bdi>{name}</bdi>,
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
    width: "9rem",
    render: ({ state }) => <RowStateName {...state} />,
  },
];

/** Rows with the tags that open them. */
export function RowTable({ rows }: { rows: readonly ListedRow[] }) {
  return <DataTable label="Rows" rows={rows} columns={rowColumns} toKey={({ id }) => id} />;
}
