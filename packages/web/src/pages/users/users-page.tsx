import type { User } from "@hub/contract/user.ts";
import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useApi, usePages } from "../../api/use-api.ts";
import { TagList } from "../../ui/badges/tag-list.tsx";
import { Icon } from "../../ui/controls/icon.tsx";
import { EmptyState } from "../../ui/page/empty-state.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { type Column, DataTable } from "../../ui/tables/data-table.tsx";
import { FilterBar, FilterSelect } from "../../ui/tables/filter-bar.tsx";
import { MoreFailed } from "../../ui/tables/more-failed.tsx";
import { SearchField } from "../../ui/tables/search-field.tsx";
import { TableSkeleton } from "../../ui/tables/table-skeleton.tsx";
import { type FilterControl, useFilters } from "../../ui/tables/use-filters.ts";
import { formatNumber } from "../../ui/text/format.ts";
import { TimeAt } from "../../ui/text/time-at.tsx";
import { AddUserDialog } from "./add-user-dialog.tsx";
import { ApproveButton } from "./approve-button.tsx";
import { emailColumn, nameColumn } from "./user-columns.tsx";
import { findRole, findStatus, type UserFilters, userRoles, userStatuses } from "./user-filters.ts";
import { UserState } from "./user-state.tsx";
import { UsersFrame } from "./users-frame.tsx";

const pageSize = 100;

/** Every person who can sign in, with a search over all of them. */
export function UsersPage() {
  const { filters, set, clear } = useFilters<UserFilters>();
  const query = { ...filters, limit: pageSize };
  const pages = usePages("GET /admin/api/users", { query }, "after", { keepsLast: true });
  const [isAdding, setAdding] = useState(false);
  return (
    <UsersFrame
      tab="/admin/users"
      lead="Everyone who can sign in. A user sees the rows that have one of their tags."
      actions={
        <Button leftSection={<Icon name="plus" />} onClick={() => setAdding(true)}>
          Add a user
        </Button>
      }
    >
      <UserFilterBar filters={filters} onChange={set} />
      <Loaded of={pages} what="The users" skeleton={<TableSkeleton columns={columns} lines={10} />}>
        {({ pages: [first, ...others] }) =>
          first !== undefined && (
            <>
              <UserList
                users={[first, ...others].flatMap(({ users }) => users)}
                total={first.total}
                pending={first.by_status.pending}
                filters={filters}
                onClear={clear}
                onMore={pages.onMore}
                isLoadingMore={pages.isFetching}
              />
              <MoreFailed of={pages} what="More users" />
            </>
          )
        }
      </Loaded>
      {isAdding && <AddUserDialog onClose={() => setAdding(false)} />}
    </UsersFrame>
  );
}

type BarProps = {
  filters: UserFilters;
  onChange: FilterControl<UserFilters>["set"];
};

function UserFilterBar({ filters, onChange }: BarProps) {
  const tags = useApi("GET /admin/api/tags", {});
  const names = new Set((tags.data?.tags ?? []).map(({ name }) => name));
  names.delete("everyone");
  return (
    <FilterBar>
      <SearchField
        label="Search users"
        value={filters.q}
        onChange={(q) => onChange({ q: q.slice(0, 200) })}
      />
      <FilterSelect
        label="State"
        any="Any state"
        options={userStatuses}
        value={filters.status}
        onChange={(status) => onChange({ status: findStatus(status) })}
      />
      <FilterSelect
        label="Role"
        any="Any role"
        options={userRoles}
        value={filters.role}
        onChange={(role) => onChange({ role: findRole(role) })}
      />
      <FilterSelect
        label="Tag"
        any="Any tag"
        options={[...names].map((value) => ({ value, label: value }))}
        value={filters.tag}
        onChange={(tag) => onChange({ tag })}
      />
    </FilterBar>
  );
}

const columns: ReadonlyArray<Column<User>> = [
  { ...emailColumn, width: "minmax(8rem, 2.2fr)" },
  { ...nameColumn, width: "minmax(5rem, 1.5fr)", isLargeOnly: true },
  {
    key: "role",
    header: "Role",
    width: "3.5rem",
    isWideOnly: true,
    render: ({ role }) => (role === "admin" ? "Admin" : "User"),
  },
  {
    key: "tags",
    header: "Tags",
    width: "minmax(6rem, 2fr)",
    isWideOnly: true,
    render: ({ role, tags }) => (
      <TagList tags={tags} none={role === "admin" ? "Sees every row" : "–"} />
    ),
  },
  {
    key: "status",
    header: "State",
    width: "minmax(5.5rem, auto)",
    render: ({ status }) => <UserState status={status} />,
  },
  {
    key: "created",
    header: "Added",
    width: "8.5rem",
    align: "end",
    isWideOnly: true,
    render: (user) =>
      user.status === "pending" ? <ApproveButton user={user} /> : <TimeAt at={user.created_at} />,
  },
];

type ListProps = {
  users: readonly User[];
  /** Of all pages. */
  total: number;
  /** How many who match wait for approval. */
  pending: number;
  filters: UserFilters;
  onClear: () => void;
  onMore: (() => void) | undefined;
  isLoadingMore: boolean;
};

function UserList({ users, total, pending, filters, onClear, ...more }: ListProps) {
  const isFiltered = Object.keys(filters).length > 0;
  if (users.length === 0) {
    return (
      <EmptyState
        icon="users"
        title="No user matches the filters"
        action={
          <Button variant="default" onClick={onClear}>
            Clear filters
          </Button>
        }
      >
        The search looks in e-mails and names.
      </EmptyState>
    );
  }
  return (
    <>
      {pending > 0 && filters.status !== "pending" && (
        <p>
          <Link to="/admin/users" search={{ status: "pending" }}>
            {pending === 1 ? "1 user waits" : `${formatNumber(pending)} users wait`} for approval
          </Link>
        </p>
      )}
      <DataTable label="Users" rows={users} columns={columns} toKey={({ id }) => id} {...more} />
      <p role="status">
        {`${formatNumber(total)} ${total === 1 ? "user" : "users"}`}
        {isFiltered && (total === 1 ? " matches the filters" : " match the filters")}
      </p>
    </>
  );
}
