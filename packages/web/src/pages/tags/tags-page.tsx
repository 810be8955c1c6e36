import { isRowTag } from "@hub/contract/row-tag.ts";
import { Link } from "@tanstack/react-router";
import type { Answer } from "../../api/call-api.ts";
import { useApi } from "../../api/use-api.ts";
import { EmptyState } from "../../ui/page/empty-state.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { Page } from "../../ui/page/page-frame.tsx";
import { type Column, DataTable } from "../../ui/tables/data-table.tsx";
import { FilterBar } from "../../ui/tables/filter-bar.tsx";
import { SearchField } from "../../ui/tables/search-field.tsx";
import { TableSkeleton } from "../../ui/tables/table-skeleton.tsx";
import { matchesText } from "../../ui/tables/text-filters.ts";
import { useFilters } from "../../ui/tables/use-filters.ts";
import { formatNumber } from "../../ui/text/format.ts";

type Tag = Answer<"GET /admin/api/tags">["tags"][number];

/** Every tag with its users and rows. */
export function TagsPage() {
  const { filters, set } = useFilters<{ q?: string }>();
  const { q } = filters;
  const tags = useApi("GET /admin/api/tags", {});
  return (
    <Page
      title="Tags"
      lead="A user sees a row if both have a tag in common. A tag exists once a user or a row has it."
    >
      <FilterBar>
        <SearchField label="Search tags" value={q} onChange={(text) => set({ q: text })} />
      </FilterBar>
      <Loaded
        of={tags}
        what="The tags"
        skeleton={<TableSkeleton columns={columns} lines={6} maxWidth="32rem" />}
      >
        {({ tags: all }) => {
          // The tags of single rows are found by their names, and no noise among the others.
          const found = all.filter(({ name }) => (q || !isRowTag(name)) && matchesText(q, [name]));
          if (found.length > 0) {
            return (
              <DataTable label="Tags" rows={found} columns={columns} toKey={({ name }) => name} />
            );
          }
          return (
            <EmptyState
              icon="tag"
              title={all.length === 0 ? "No tags yet" : "No tag has this name"}
            >
              Give a tag to a row and to the users who may call it.
            </EmptyState>
          );
        }}
      </Loaded>
    </Page>
  );
}

const columns: ReadonlyArray<Column<Tag>> = [
  {
    key: "name",
    header: "Tag",
    width: "minmax(8rem, 3fr)",
    render: ({ name }) => (
      <Link to="/admin/tags/$tag" params={{ tag: name }} title={name}>
        {name}
      </Link>
    ),
  },
  {
    key: "users",
    header: "Users",
    width: "minmax(5rem, 1fr)",
    align: "end",
    isNamed: true,
    render: ({ name, users }) => (name === "everyone" ? "All" : formatNumber(users)),
  },
  {
    key: "rows",
    header: "Rows",
    width: "minmax(4rem, 1fr)",
    align: "end",
    isNamed: true,
    render: ({ rows }) => formatNumber(rows),
  },
];
