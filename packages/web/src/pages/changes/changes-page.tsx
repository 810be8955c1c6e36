import type { ChangeEntry } from "@hub/contract/change.ts";
import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { usePages } from "../../api/use-api.ts";
import { UserSelect } from "../../ui/controls/user-select.tsx";
import { EmptyState } from "../../ui/page/empty-state.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { Page } from "../../ui/page/page-frame.tsx";
import { type Column, DataTable } from "../../ui/tables/data-table.tsx";
import { FilterBar, FilterSelect } from "../../ui/tables/filter-bar.tsx";
import { MoreFailed } from "../../ui/tables/more-failed.tsx";
import { TableSkeleton } from "../../ui/tables/table-skeleton.tsx";
import { TimeFilter } from "../../ui/tables/time-filter.tsx";
import { useFilters } from "../../ui/tables/use-filters.ts";
import { formatNumber } from "../../ui/text/format.ts";
import { TimeAt } from "../../ui/text/time-at.tsx";
import { toSettingLabel } from "../settings/describe-setting.ts";
import { Details } from "./change-details.tsx";
import type { ChangeFilters } from "./change-filters.ts";
import styles from "./changes.module.css";
import { describeAction, listActions } from "./describe-change.ts";
import { DraftSaves } from "./draft-saves.tsx";

const pageSize = 100;

/** The record of changes: who changed what, when and from where. */
export function ChangesPage() {
  const { filters, isFiltered, set, clear } = useFilters<ChangeFilters>();
  return (
    <Page
      title="Changes"
      lead="Who changed what, when, and from where. Secrets are never recorded."
    >
      <FilterBar onClear={isFiltered ? clear : undefined}>
        <TimeFilter from={filters.from} to={filters.to} onChange={set} />
        <FilterSelect
          label="Kind"
          any="Everything"
          options={kinds}
          value={filters.kind}
          onChange={(kind) => set({ kind, action: "" })}
        />
        <FilterSelect
          label="Action"
          any="Any action"
          options={listActions(filters.kind).map((value) => ({ value, label: value }))}
          value={filters.action}
          onChange={(action) => set({ action })}
        />
        <UserSelect
          label="Who"
          size="xs"
          any="Anyone"
          value={filters.actor ?? null}
          onChange={(actor) => set({ actor: actor ?? "" })}
        />
        {filters.target !== undefined && (
          <Button variant="default" size="xs" onClick={() => set({ target: "" })}>
            One target only ✕
          </Button>
        )}
      </FilterBar>
      <ChangeList filters={filters} isFiltered={isFiltered} />
    </Page>
  );
}

const kinds = [
  { value: "user", label: "Users" },
  { value: "row", label: "Rows" },
  { value: "workflow", label: "Workflows" },
  { value: "call", label: "Decided calls" },
  { value: "connector", label: "Connector types" },
  { value: "plugin", label: "Plugins" },
  { value: "token", label: "Tokens" },
  { value: "application", label: "Applications" },
  { value: "chat_account", label: "Chat accounts" },
  { value: "group", label: "Groups" },
  { value: "tag", label: "Tags" },
  { value: "session", label: "Sessions" },
  { value: "setting", label: "Settings" },
  { value: "keys", label: "Keys" },
];

function ChangeList({ filters, isFiltered }: { filters: ChangeFilters; isFiltered: boolean }) {
  const query = {
    ...(filters.action !== undefined && { action: filters.action }),
    ...(filters.kind !== undefined && { target_kind: filters.kind }),
    ...(filters.actor !== undefined && { actor_id: filters.actor }),
    ...(filters.target !== undefined && { target_id: filters.target }),
    ...(filters.from !== undefined && { from: filters.from }),
    ...(filters.to !== undefined && { to: filters.to }),
    limit: pageSize,
    grouped: "true" as const,
  };
  const pages = usePages("GET /admin/api/changes", { query }, "before");
  return (
    <Loaded of={pages} what="The changes" skeleton={<TableSkeleton columns={columns} lines={10} />}>
      {(data) => {
        const changes = data.pages.flatMap((page) => page.changes);
        if (changes.length === 0) return <NoChanges isFiltered={isFiltered} />;
        const count = `${formatNumber(changes.length)} ${changes.length === 1 ? "change" : "changes"}`;
        return (
          <>
            <DataTable
              label="Changes"
              rows={changes}
              columns={columns}
              toKey={({ id }) => id}
              onMore={pages.onMore}
              isLoadingMore={pages.isFetching}
            />
            <MoreFailed of={pages} what="More changes" />
            <p role="status">{pages.hasNextPage ? `${count} shown. More follow below.` : count}</p>
          </>
        );
      }}
    </Loaded>
  );
}

function NoChanges({ isFiltered }: { isFiltered: boolean }) {
  return isFiltered ? (
    <EmptyState icon="filter" title="No change matches the filters">
      Remove a filter, or choose a longer time.
    </EmptyState>
  ) : (
    <EmptyState icon="clock" title="No changes yet">
      When an admin or a user changes something, it is recorded here.
    </EmptyState>
  );
}

const places: Record<string, string> = {
  session: "Browser",
  token: "Token",
  "command line": "Command line",
  client: "Confirmed by the client",
  scim: "SCIM",
};

const columns: ReadonlyArray<Column<ChangeEntry>> = [
  {
    key: "what",
    header: "Change",
    width: "minmax(10rem, 5fr)",
    render: (change) => <What change={change} />,
  },
  {
    key: "via",
    header: "By",
    width: "7.5rem",
    isWideOnly: true,
    render: ({ via, token_id: token }) => <span title={token ?? via}>{places[via] ?? via}</span>,
  },
  {
    key: "address",
    header: "Address",
    width: "minmax(6rem, 1fr)",
    isWideOnly: true,
    isLargeOnly: true,
    render: ({ ip_address: address }) => address ?? "–",
  },
  {
    key: "at",
    header: "When",
    width: "8.5rem",
    align: "end",
    render: ({ changed_at: at }) => <TimeAt at={at} />,
  },
];

function What({ change }: { change: ChangeEntry }) {
  const { saves } = change;
  return (
    <div className={styles.what}>
      <strong>{change.actor}</strong> {describeAction(change.action)}{" "}
      <Link
        to="/admin/changes"
        search={{ target: change.target_id }}
        title={`Only changes of ${change.target}`}
      >
        {change.target_kind === "setting" ? toSettingLabel(change.target) : change.target}
      </Link>
      {saves === undefined ? (
        <ul className={styles.details}>
          <Details of={change} />
        </ul>
      ) : (
        <DraftSaves change={change} saves={saves} />
      )}
    </div>
  );
}
