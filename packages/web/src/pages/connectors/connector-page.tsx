import { Button, NativeSelect } from "@mantine/core";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { type ReactNode, useEffect, useState } from "react";
import { asApiError } from "../../api/api-error.ts";
import type { Answer } from "../../api/call-api.ts";
import { useApi, useChange, usePages } from "../../api/use-api.ts";
import { useMe } from "../../api/use-me.ts";
import { Badge } from "../../ui/badge.tsx";
import { Card } from "../../ui/card.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { formatNumber } from "../../ui/format.ts";
import { Icon } from "../../ui/icon.tsx";
import { Page } from "../../ui/page.tsx";
import { PageError } from "../../ui/page-error.tsx";
import { PageSkeleton } from "../../ui/page-skeleton.tsx";
import { SearchField } from "../../ui/search-field.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { CardProgress, count, firstLine, PluginMenu } from "./connector-card.tsx";
import { ConnectorIcon } from "./connector-icon.tsx";
import styles from "./connectors.module.css";
import listStyles from "./row-list.module.css";
import { RowList } from "./row-list.tsx";
import { filterRows, type RowListFilters, type RowState } from "./row-list-filters.ts";

type Connector = Answer<"GET /manager/api/connectors/{key}">;
type Plugin = Answer<"GET /manager/api/plugins">["plugins"][number];
type RowPage = Answer<"GET /manager/api/rows">;

/** What other admins change is seen after this time at the latest. */
const everyMs = 10_000;

/** A connector type: its rows, its operations, and its switch. */
export function ConnectorPage() {
  const { isAdmin } = useMe();
  const { key } = useParams({ from: "/manager/connectors/$key" });
  const all = useApi("GET /manager/api/connectors", {}, { everyMs });
  // The plugin may have been removed or disabled, also since the page was opened.
  const isThere = all.data?.connectors.some((one) => one.key === key) === true;
  const found = useApi(
    "GET /manager/api/connectors/{key}",
    { params: { key } },
    { isOn: isThere, everyMs },
  );
  const plugins = useApi("GET /manager/api/plugins", {}, { everyMs });
  const pages = usePages("GET /manager/api/rows", { query: { connector: key } }, "after", {
    everyMs,
  });
  const { hasNextPage, isFetching, fetchNextPage } = pages;
  useEffect(() => {
    if (hasNextPage && !isFetching) void fetchNextPage();
  }, [hasNextPage, isFetching, fetchNextPage]);

  const parent = <Link to="/manager/connectors">Connectors</Link>;
  const frame = (children: ReactNode) => (
    <Page title={key} parent={parent}>
      {children}
    </Page>
  );
  const failed = [all, found, plugins, pages].find(
    ({ data, error }) => data === undefined && error !== null,
  );
  const connector = isThere ? (found.data ?? null) : null;
  const plugin = plugins.data?.plugins.find((one) => one.key === key) ?? null;
  if (failed !== undefined) {
    const onRetry = () => void failed.refetch();
    const error = asApiError(failed.error);
    return frame(<PageError what="The connector" error={error} onRetry={onRetry} />);
  }
  const isLoading = isThere ? connector === null : all.data === undefined;
  if (isLoading || plugins.data === undefined || pages.data === undefined) {
    return frame(<PageSkeleton lines={8} />);
  }
  const rows = pages.data.pages.flatMap((page: RowPage) => page.rows);
  if (connector === null && plugin === null && rows.length === 0) {
    return frame(
      <EmptyState
        icon="connectors"
        title="There is no such connector"
        action={
          <Button
            variant="default"
            renderRoot={(props) => <Link {...props} to="/manager/connectors" />}
          >
            All connectors
          </Button>
        }
      >
        It may have been uninstalled, or you have no access to its rows.
      </EmptyState>,
    );
  }
  const name = connector?.name ?? plugin?.name ?? key;
  const item = { key, name, plugin, rows: rows.length };
  return (
    <Page
      title={name}
      icon={<ConnectorIcon connector={{ key, name, icon: connector?.icon ?? "" }} />}
      parent={parent}
      lead={
        <>
          <bdi>{firstLine(connector?.description ?? plugin?.description ?? "")}</bdi>{" "}
          <Kind connector={connector} plugin={plugin} />
        </>
      }
      actions={
        isAdmin && (
          <>
            {connector !== null && <TypeSwitch connector={connector} />}
            {connector !== null && rows.length > 0 && <NewRow of={key} />}
            {plugin !== null && <PluginMenu item={item} />}
          </>
        )
      }
    >
      <CardProgress item={item} />
      <State connector={connector} plugin={plugin} />
      <Rows rows={rows} connector={connector} isAdmin={isAdmin} />
      {connector !== null && <Operations key={key} operations={connector.operations} />}
    </Page>
  );
}

type Known = { connector: Connector | null; plugin: Plugin | null };

function Kind({ connector, plugin }: Known) {
  return (
    <>
      <Badge>{connector?.tier === "builtin" ? "Built in" : "Plugin"}</Badge>{" "}
      {plugin?.version != null && <Badge>{plugin.version}</Badge>}{" "}
      {(connector?.disabled_type === true || plugin?.enabled === false) && (
        <Badge tone="warn">Disabled</Badge>
      )}
    </>
  );
}

/** Why its rows cannot be called. */
function State({ connector, plugin }: Known) {
  const text = describeState({ connector, plugin });
  if (text === null) return null;
  return (
    <div className={styles.notice} role="status">
      <p>{text}</p>
    </div>
  );
}

function describeState({ connector, plugin }: Known): string | null {
  if (plugin?.enabled === false) return "The plugin is disabled. Its rows cannot be called.";
  if (plugin?.problem != null) return plugin.problem;
  if (connector === null) {
    return "This plugin is not installed. Its rows and their settings wait until it is installed again.";
  }
  if (connector.disabled_type) {
    return "This connector is disabled. Clients do not see its rows and operations.";
  }
  return null;
}

function TypeSwitch({ connector }: { connector: Connector }) {
  const { key, name, disabled_type: isDisabled, rows, operation_count } = connector;
  const toast = useToast();
  const [isAsking, setAsking] = useState(false);
  const refreshes = [
    "GET /manager/api/connectors",
    "GET /manager/api/connectors/{key}",
    "GET /manager/api/rows",
  ] as const;
  const params = { params: { key } };
  const onFailed = (error: Error) => {
    setAsking(false);
    toast({ kind: "error", text: error.message });
  };
  const enable = useChange("POST /manager/api/connectors/{key}/type-enable", {
    refreshes,
    onFailed,
    onDone: () => toast({ text: `${name} is enabled.` }),
  });
  const disable = useChange("POST /manager/api/connectors/{key}/type-disable", {
    refreshes,
    onFailed,
    onDone() {
      setAsking(false);
      toast({ text: `${name} is disabled.`, onUndo: () => enable.run(params) });
    },
  });
  return (
    <>
      <Button
        variant="default"
        leftSection={<Icon name={isDisabled ? "play" : "stop"} />}
        loading={enable.isPending}
        onClick={() => (isDisabled ? enable.run(params) : setAsking(true))}
      >
        {isDisabled ? "Enable connector" : "Disable connector"}
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        title={`Disable ${name}?`}
        action="Disable connector"
        isBusy={disable.isPending}
        onConfirm={() => disable.run(params)}
        onClose={() => setAsking(false)}
      >
        {`Its ${count(rows, "row")} with ${count(operation_count, "operation")} disappear from every client at once. Settings and secrets stay, and you can enable it again.`}
      </ConfirmDialog>
    </>
  );
}

const states: ReadonlyArray<{ value: RowState | ""; label: string }> = [
  { value: "", label: "Any state" },
  { value: "ready", label: "Ready" },
  { value: "setup", label: "Needs setup" },
  { value: "disabled", label: "Disabled" },
];

function NewRow({ of: key }: { of: string }) {
  return (
    <Button
      leftSection={<Icon name="plus" />}
      renderRoot={(props) => <Link {...props} to="/manager/connectors/$key/new" params={{ key }} />}
    >
      New row
    </Button>
  );
}

type RowsProps = { rows: RowPage["rows"]; connector: Connector | null; isAdmin: boolean };

function Rows({ rows, connector, isAdmin }: RowsProps) {
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
    return (
      <EmptyState
        icon="connectors"
        title="No rows yet"
        action={isAdmin && connector !== null && <NewRow of={connector.key} />}
      >
        {`A row is one account or address of ${connector?.name ?? "this connector"}, with its own settings, tags and history.`}
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
          <code>whoami</code> and the call appears under <Link to="/manager/runs">Runs</Link>.
        </Card>
      )}
    </>
  );
}

/** A plugin may have hundreds of operations. */
const portion = 30;

function Operations({ operations }: Pick<Connector, "operations">) {
  const [shown, setShown] = useState(portion);
  if (operations.length === 0) return null;
  return (
    <Card title={`Operations (${formatNumber(operations.length)})`}>
      <ul className={listStyles.operations}>
        {operations.slice(0, shown).map((operation) => (
          <li key={operation.key}>
            <div className={listStyles.operationHead}>
              <bdi>{operation.name}</bdi>
              <code>{operation.key}</code>
              {operation.destructive && <Badge tone="bad">Destructive</Badge>}
              {operation.test_only && <Badge>Test only</Badge>}
            </div>
            <p>{firstLine(operation.description)}</p>
          </li>
        ))}
      </ul>
      {operations.length > shown && (
        <Button variant="default" size="xs" mt="sm" onClick={() => setShown(shown + 200)}>
          Show more
        </Button>
      )}
    </Card>
  );
}
