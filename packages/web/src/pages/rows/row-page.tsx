import type { RowView } from "@hub/contract/row.ts";
import { Alert, Button, Tabs } from "@mantine/core";
import { Link, useBlocker, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useApi, useChange } from "../../api/use-api.ts";
import { useMe } from "../../api/use-me.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Page } from "../../ui/page.tsx";
import { PageSkeleton } from "../../ui/page-skeleton.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { AccessTab } from "./access-tab.tsx";
import { HistoryTab } from "./history-tab.tsx";
import { OperationsTab } from "./operations-tab.tsx";
import { findTab, type RowTab, rowTabs } from "./row-search.ts";
import { SettingsTab } from "./settings-tab.tsx";
import { TestTab } from "./test-tab.tsx";
import { type RowForm, useRowForm } from "./use-row-form.ts";

const watchMs = 10_000;
const address = "/manager/connectors/$key/$row" as const;

/** A row of a connector: its settings, operations, test panel, history and access. */
export function RowPage() {
  const { key, row: id } = useParams({ from: address });
  const row = useApi("GET /manager/api/rows/{row}", { params: { row: id } }, { everyMs: watchMs });
  const parent = <ConnectorLink connector={key} />;
  return (
    <Loaded
      of={row}
      what="The row"
      skeleton={
        <Page title="Row" parent={parent}>
          <PageSkeleton lines={8} />
        </Page>
      }
    >
      {(found) => <FoundRow key={id} row={found} isGone={row.error?.code === "not_found"} />}
    </Loaded>
  );
}

function ConnectorLink({ connector }: { connector: string }) {
  return (
    <Link to="/manager/connectors/$key" params={{ key: connector }}>
      {connector}
    </Link>
  );
}

const tabNames: Record<RowTab, string> = {
  settings: "Settings",
  operations: "Operations",
  test: "Test",
  history: "History",
  access: "Access",
};

function FoundRow({ row, isGone }: { row: RowView; isGone: boolean }) {
  const { isAdmin } = useMe();
  const search = useSearch({ from: address });
  const navigate = useNavigate({ from: address });
  const form = useRowForm(row.id, isAdmin && row.missing !== null);
  const shown = isAdmin ? rowTabs : (["operations", "history"] as const);
  const tab = findTab(search, isAdmin);
  return (
    <Page
      title={row.label}
      parent={<ConnectorLink connector={row.connector} />}
      lead={row.description || undefined}
      actions={isAdmin && <RowSwitch row={row} />}
    >
      {isGone && (
        <Alert color="red" role="alert" mb="md" title="This row was deleted">
          {"Nothing here can be saved or run any more. Copy what you need, then go to "}
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
          {shown.map((name) => (
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
          <OperationsTab row={row} />
        </Tabs.Panel>
        <Tabs.Panel value="test">
          <TestTab key={`${search.op} ${search.prefill}`} row={row} search={search} />
        </Tabs.Panel>
        <Tabs.Panel value="history">
          <HistoryTab row={row} />
        </Tabs.Panel>
        <Tabs.Panel value="access">
          <AccessTab row={row} />
        </Tabs.Panel>
      </Tabs>
      <LeaveQuestion form={form} row={row.id} />
    </Page>
  );
}

function RowState({ row }: { row: RowView }) {
  const reasons = [
    row.missing === null &&
      "Its connector is not installed, so none of its operations can be called.",
    row.disabled && "It is disabled: clients do not see it.",
    row.disabled_type && "Its connector is disabled: none of its rows can be called.",
  ].filter((reason) => reason !== false);
  return reasons.map((reason) => (
    <Alert key={reason} color="yellow" mb="md">
      {reason}
    </Alert>
  ));
}

function RowSwitch({ row }: { row: RowView }) {
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

/** Asks before typed values are lost. */
function LeaveQuestion({ form, row }: { form: RowForm; row: string }) {
  const isDirty = form.unsaved.length > 0;
  const blocker = useBlocker({
    shouldBlockFn: ({ next }) => isDirty && !next.pathname.endsWith(`/${row}`),
    enableBeforeUnload: isDirty,
    withResolver: true,
  });
  return (
    <ConfirmDialog
      isOpen={blocker.status === "blocked"}
      title="Leave without saving?"
      action="Leave"
      isDangerous
      onConfirm={() => blocker.proceed?.()}
      onClose={() => blocker.reset?.()}
    >
      What you typed is not saved yet and will be lost.
    </ConfirmDialog>
  );
}
