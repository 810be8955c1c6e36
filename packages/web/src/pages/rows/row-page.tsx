import { Alert, Button, Tabs } from "@mantine/core";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useApi, useChange } from "../../api/use-api.ts";
import { useMe } from "../../api/use-me.ts";
import { StateBadge } from "../../ui/badges/state-badge.tsx";
import { Icon } from "../../ui/controls/icon.tsx";
import { useToast } from "../../ui/dialogs/toasts.tsx";
import { UnsavedQuestion } from "../../ui/dialogs/unsaved-question.tsx";
import { PageError } from "../../ui/page/page-error.tsx";
import { Page } from "../../ui/page/page-frame.tsx";
import { PageSkeleton } from "../../ui/page/page-skeleton.tsx";
import { ConnectorIcon } from "../connectors/connector-icon.tsx";
import { AccessDialog } from "./access/access-dialog.tsx";
import { AccessTab } from "./access/access-tab.tsx";
import { HistoryTab } from "./history-tab.tsx";
import { OperationsTab } from "./operations/operations-tab.tsx";
import { useOperationsByRow } from "./operations/use-review.ts";
import { ConnectorLink, RowCrumbs, useConnector } from "./row-crumbs.tsx";
import { findTab, listTabs, type RowTab, rowTabs } from "./row-search.ts";
import { useConnection } from "./settings/connection-card.tsx";
import { SettingsTab } from "./settings/row-settings-tab.tsx";
import { useRowForm } from "./settings/use-row-form.ts";
import { WidgetsTab } from "./settings/widgets-tab.tsx";
import { mayTest, type ShownRow } from "./shown-row.ts";
import { TestTab } from "./test-panel/test-tab.tsx";
import { useAbsence } from "./use-absence.ts";
import { useMadeFrom } from "./use-made-from.ts";

const watchMs = 10_000;
const address = "/manager/connectors/$key/$row" as const;

/** A row of a connector: its settings, operations, test panel, history and access. */
export function RowPage() {
  const { key, row: id } = useParams({ from: address });
  const input = { params: { row: id }, query: { operations: "none" as const } };
  const row = useApi("GET /manager/api/rows/{row}", input, { everyMs: watchMs });
  if (row.data === undefined) {
    return (
      <Page title="Row" parent={<RowCrumbs connector={key} />}>
        {row.error === null ? (
          <PageSkeleton lines={8} />
        ) : (
          <PageError what="The row" error={row.error} onRetry={() => void row.refetch()} />
        )}
      </Page>
    );
  }
  return <FoundRow key={id} row={row.data} isGone={row.error?.code === "not_found"} />;
}

const tabNames: Record<RowTab, string> = {
  settings: "Settings",
  operations: "Operations",
  test: "Test",
  widgets: "Widgets",
  history: "History",
  access: "Access",
};

function FoundRow({ row, isGone }: { row: ShownRow; isGone: boolean }) {
  const { isAdmin } = useMe();
  const search = useSearch({ from: address });
  const navigate = useNavigate({ from: address });
  const connector = useConnector(row.connector);
  const form = useRowForm(row.id, isAdmin && row.missing !== null);
  const rights = { isAdmin, mayTest: mayTest(row, isAdmin), hasWidgets: row.widgets.length > 0 };
  const tab = findTab(search, rights);
  return (
    <Page
      title={row.label}
      icon={<ConnectorIcon connector={connector} />}
      badge={<RowBadge row={row} />}
      parent={<RowCrumbs connector={row.connector} />}
      lead={row.description || undefined}
      actions={
        isAdmin && (
          <>
            <ShareButton row={row} />
            <RowSwitch row={row} />
          </>
        )
      }
    >
      {isGone && (
        <Alert color="red" role="alert" mb="md" title="This row was deleted">
          {"Nothing here can be saved or called any more. Copy what you need, then go to "}
          <ConnectorLink connector={row.connector} />.
        </Alert>
      )}
      <RowState row={row} />
      <Tabs
        value={tab}
        keepMounted={false}
        onChange={(next) => {
          const chosen = rowTabs.find((name) => name === next) ?? "settings";
          void navigate({ search: { tab: chosen } });
        }}
      >
        <Tabs.List mb="md">
          {listTabs(rights).map((name) => (
            <Tabs.Tab key={name} value={name}>
              {tabNames[name]}
              {name === "settings" && form.unsaved.length > 0 && " •"}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="settings">
          <SettingsTab row={row} form={form} />
        </Tabs.Panel>
        <Tabs.Panel value="operations">
          <OperationsTab row={row} place={{ show: search.show }} />
        </Tabs.Panel>
        <Tabs.Panel value="test">
          <TestTab key={`${search.op} ${search.prefill}`} row={row} search={search} />
        </Tabs.Panel>
        <Tabs.Panel value="widgets">
          <WidgetsTab row={row} />
        </Tabs.Panel>
        <Tabs.Panel value="history">
          <HistoryTab row={row} />
        </Tabs.Panel>
        <Tabs.Panel value="access">
          <AccessTab row={row} />
        </Tabs.Panel>
      </Tabs>
      <UnsavedQuestion isDirty={form.unsaved.length > 0}>
        What you typed is not saved yet and will be lost.
      </UnsavedQuestion>
    </Page>
  );
}

function RowBadge({ row }: { row: ShownRow }) {
  const absence = useAbsence(row);
  const isByRow = useOperationsByRow(row.connector);
  const { isAdmin } = useMe();
  const channel = useApi(
    "GET /manager/api/rows/{row}/channel",
    { params: { row: row.id } },
    { isOn: isAdmin && row.slug !== undefined },
  );
  const connection = useConnection(row, isAdmin && row.connector === "mcp").data?.connection;
  if (absence !== null) return <StateBadge tone="bad" text={absence.short} />;
  if (row.disabled || row.disabled_type) return <StateBadge tone="off" text="Disabled" />;
  if (row.missing !== null && row.missing.length > 0)
    return <StateBadge tone="warn" text="Needs setup" />;
  if (connection?.state === "not_connected") return <StateBadge tone="warn" text="Not connected" />;
  if (connection?.state === "lost") return <StateBadge tone="bad" text="Connect again" />;
  if (isByRow === true) {
    const { total, waiting } = row.operation_counts;
    if (total === 0) return <StateBadge tone="warn" text="No operations" />;
    if (waiting > 0) return <StateBadge tone="warn" text="Needs review" />;
  }
  if (channel.data?.state === "failed") return <StateBadge tone="bad" text="Not connected" />;
  return <StateBadge tone="good" text="Ready" />;
}

function RowState({ row }: { row: ShownRow }) {
  const absence = useAbsence(row);
  const reasons = [
    absence !== null && `None of its operations can be called. ${absence.advice}`,
    row.disabled && "It is disabled: clients do not see it.",
    row.disabled_type && "Its connector is disabled: none of its rows can be called.",
  ].filter((reason) => reason !== false);
  return reasons.map((reason) => (
    <Alert key={reason} color="yellow" mb="md">
      {reason}
    </Alert>
  ));
}

/** Opens the dialog of who may use the row, from each of its tabs. */
function ShareButton({ row }: { row: ShownRow }) {
  const [isOpen, setOpen] = useState(false);
  if (useMadeFrom(row.connector) !== null) return null;
  return (
    <>
      <Button variant="default" leftSection={<Icon name="users" />} onClick={() => setOpen(true)}>
        Share
      </Button>
      {isOpen && <AccessDialog row={row} onClose={() => setOpen(false)} />}
    </>
  );
}

function RowSwitch({ row }: { row: ShownRow }) {
  const toast = useToast();
  const refreshes = ["GET /manager/api/rows/{row}", "GET /manager/api/rows"] as const;
  const onFailed = { refreshes };
  const enable = useChange("POST /manager/api/rows/{row}/enable", onFailed);
  const params = { params: { row: row.id } };
  const disable = useChange("POST /manager/api/rows/{row}/disable", {
    refreshes,
    onDone: () => toast({ text: `${row.label} is disabled.`, onUndo: () => enable.run(params) }),
  });
  const failure = enable.error ?? disable.error;
  return (
    <>
      {failure !== null && <span role="alert">{failure.message}</span>}
      {row.disabled ? (
        <Button variant="default" loading={enable.isPending} onClick={() => enable.run(params)}>
          Enable
        </Button>
      ) : (
        <Button variant="default" loading={disable.isPending} onClick={() => disable.run(params)}>
          Disable
        </Button>
      )}
    </>
  );
}
