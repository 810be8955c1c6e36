import { Button, NativeSelect } from "@mantine/core";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { Answer } from "../../../api/call-api.ts";
import { Card } from "../../../ui/page/card.tsx";
import { EmptyState } from "../../../ui/page/empty-state.tsx";
import { SearchField } from "../../../ui/tables/search-field.tsx";
import { formatNumber } from "../../../ui/text/format.ts";
import { count } from "../connector-card.tsx";
import styles from "../connectors.module.css";
import { NewRowButton } from "./new-row-button.tsx";
import { RowList } from "./row-list.tsx";
import { filterRows, type RowListFilters, type RowState } from "./row-list-filters.ts";

type Connector = Answer<"GET /manager/api/connectors/{key}">;

const states: ReadonlyArray<{ value: RowState | ""; label: string }> = [
  { value: "", label: "Any state" },
  { value: "ready", label: "Ready" },
  { value: "setup", label: "Needs setup" },
  { value: "disabled", label: "Disabled" },
];

type Props = {
  rows: Answer<"GET /manager/api/rows">["rows"];
  /** Null if it is not installed. */
  connector: Connector | null;
  isAdmin: boolean;
};

/** The rows of a connector, with filters that stand in the address. */
export function ConnectorRows({ rows, connector, isAdmin }: Props) {
  const filters = useSearch({ from: "/manager/connectors/$key" });
  const navigate = useNavigate({ from: "/manager/connectors/$key" });
  const set = (change: Record<string, string>) =>
    void navigate({
      search: (before: RowListFilters) =>
        Object.fromEntries(
          Object.entries({ ...before, ...change }).filter(([, value]) => value !== ""),
        ),
      replace: true,
    });
  if (rows.length === 0) {
    const madeFrom = connector?.made_from ?? null;
    if (isAdmin && madeFrom !== null) {
      return (
        <EmptyState icon="connectors" title="No rows yet">
          {`The hub makes the rows. ${madeFrom}`}
        </EmptyState>
      );
    }
    return (
      <EmptyState
        icon="connectors"
        title={isAdmin ? "No rows yet" : "No rows for you yet"}
        action={isAdmin && connector !== null && <NewRowButton of={connector.key} />}
      >
        {`A row is one account or address of ${connector?.name ?? "this connector"}, with its own settings, tags and history.${isAdmin ? "" : " You see those that have one of your tags. An admin can give you one."}`}
      </EmptyState>
    );
  }
  const tags = [...new Set(rows.flatMap((row) => row.tags))].sort();
  const shown = filterRows(rows, filters);
  return (
    <>
      {(rows.length > 1 || Object.keys(filters).length > 0) && (
        <div className={styles.bar} role="search" aria-label="Rows">
          <SearchField
            className={styles.search}
            label="Search rows"
            value={filters.q ?? ""}
            onChange={(q) => set({ q })}
          />
          <NativeSelect
            size="xs"
            aria-label="State"
            data={states}
            value={filters.state ?? ""}
            onChange={(event) => set({ state: event.currentTarget.value })}
          />
          {tags.length > 0 && (
            <NativeSelect
              size="xs"
              aria-label="Tag"
              data={[{ value: "", label: "Any tag" }, ...tags]}
              value={filters.tag ?? ""}
              onChange={(event) => set({ tag: event.currentTarget.value })}
            />
          )}
        </div>
      )}
      {shown.length === 0 ? (
        <EmptyState
          icon="filter"
          title="No row matches"
          action={
            <Button variant="default" onClick={() => void navigate({ search: {}, replace: true })}>
              Clear filters
            </Button>
          }
        >
          Use fewer words, or remove a filter.
        </EmptyState>
      ) : (
        <RowList rows={shown} isAdmin={isAdmin} />
      )}
      <p role="status">
        {shown.length === rows.length
          ? count(rows.length, "row")
          : `${formatNumber(shown.length)} of ${count(rows.length, "row")}`}
      </p>
      {connector?.key === "hub" && (
        <Card title="Try it">
          This connector needs no account. Ask your client: “Who am I in the hub?” It calls{" "}
          <code>whoami</code> and the call appears under <Link to="/manager/runs">Calls</Link>.
        </Card>
      )}
    </>
  );
}
