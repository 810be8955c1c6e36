import type { ConnectorType, ListedConnectorType } from "@hub/contract/connector-type.ts";
import { Switch } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useApi } from "../../api/use-api.ts";
import { TagList } from "../../ui/badges/tag-list.tsx";
import { WithLogo } from "../../ui/badges/with-logo.tsx";
import { EmptyState } from "../../ui/page/empty-state.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { Page } from "../../ui/page/page-frame.tsx";
import { type Column, DataTable } from "../../ui/tables/data-table.tsx";
import { FilterBar } from "../../ui/tables/filter-bar.tsx";
import { SearchField } from "../../ui/tables/search-field.tsx";
import { TableSkeleton } from "../../ui/tables/table-skeleton.tsx";
import { matchesText } from "../../ui/tables/text-filters.ts";
import { useFilters } from "../../ui/tables/use-filters.ts";
import { useTypeSwitch } from "../connectors/use-type-switch.ts";

/** Every connector type with its switch, and the tags that open its rows. */
export function ConnectorTypesPage() {
  const { filters, set } = useFilters<{ q?: string }>();
  const { q } = filters;
  const types = useApi("GET /manager/api/connectors", {});
  return (
    <Page
      title="Connector types"
      lead="A disabled type takes all its rows and operations from every client at once. Its rows stay."
    >
      <FilterBar>
        <SearchField label="Search types" value={q} onChange={(text) => set({ q: text })} />
      </FilterBar>
      <Loaded
        of={types}
        what="The connector types"
        skeleton={<TableSkeleton columns={columns} lines={8} />}
      >
        {({ connectors }) => {
          const found = connectors.filter((one) => matchesText(q, [one.key, one.name]));
          return found.length === 0 ? (
            <EmptyState icon="connectors" title="No connector type matches the search">
              The search looks in keys and names.
            </EmptyState>
          ) : (
            <DataTable
              label="Connector types"
              rows={found}
              columns={columns}
              toKey={({ key }) => key}
            />
          );
        }}
      </Loaded>
    </Page>
  );
}

const columns: ReadonlyArray<Column<ListedConnectorType>> = [
  {
    key: "name",
    header: "Type",
    width: "minmax(8rem, 2fr)",
    render: ({ key, name, logo }) => (
      <WithLogo connectorKey={key} name={name} logo={logo}>
        <Link to="/manager/connectors/$key" params={{ key }} title={name}>
          {name}
        </Link>
      </WithLogo>
    ),
  },
  {
    key: "key",
    header: "Key",
    width: "minmax(5rem, 1fr)",
    isLargeOnly: true,
    render: ({ key }) => <code>{key}</code>,
  },
  {
    key: "tier",
    header: "From",
    width: "6rem",
    isWideOnly: true,
    render: ({ tier }) => (tier === "builtin" ? "Built in" : "Plugin"),
  },
  {
    key: "rows",
    header: "Rows",
    width: "3.5rem",
    align: "end",
    isNamed: true,
    render: ({ rows }) => rows,
  },
  {
    key: "tags",
    header: "Tags of its rows",
    width: "minmax(8rem, 2fr)",
    isWideOnly: true,
    render: ({ row_tags: tags = [], row_tag_count: count = 0 }) => (
      <TagList tags={tags} count={count} none="None" />
    ),
  },
  {
    key: "switch",
    header: "State",
    width: "8rem",
    render: (type) => <TypeSwitch type={type} />,
  },
];

/** Switches at once: Undo switches back. */
function TypeSwitch({ type }: { type: ConnectorType }) {
  const { name, disabled_type: isDisabled } = type;
  const { isBusy, run } = useTypeSwitch(type);
  return (
    <Switch
      size="sm"
      label={isDisabled ? "Disabled" : "Enabled"}
      aria-label={`${name} is ${isDisabled ? "disabled" : "enabled"}`}
      checked={!isDisabled}
      disabled={isBusy}
      onChange={run}
    />
  );
}
