import { Alert, Button, Tabs } from "@mantine/core";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useApi } from "../../api/use-api.ts";
import { useMe } from "../../api/use-me.ts";
import { ConnectorLogo } from "../../ui/badges/connector-logo.tsx";
import { RowStateName } from "../../ui/badges/row-state.tsx";
import { Icon } from "../../ui/controls/icon.tsx";
import { PathLink } from "../../ui/controls/path-link.tsx";
import { useShownTab } from "../../ui/controls/use-shown-tab.ts";
import { UnsavedQuestion } from "../../ui/dialogs/unsaved-question.tsx";
import { DetailSkeleton } from "../../ui/page/detail-skeleton.tsx";
import { LoadedPage } from "../../ui/page/loaded-page.tsx";
import { Page } from "../../ui/page/page-frame.tsx";
import { showTab } from "../../ui/page/show-tab.ts";
import { AccessDialog } from "./access/access-dialog.tsx";
import { AccessTab } from "./access/access-tab.tsx";
import { HistoryTab } from "./history-tab.tsx";
import { OperationsTab } from "./operations/operations-tab.tsx";
import { ConnectorLink, RowCrumbs } from "./row-crumbs.tsx";
import { findTab, listTabs, type RowTab, rowTabs } from "./row-search.ts";
import { RulesTab } from "./rules/rules-tab.tsx";
import { SettingsTab } from "./settings/row-settings-tab.tsx";
import { useRowForm } from "./settings/use-row-form.ts";
import { WidgetsTab } from "./settings/widgets-tab.tsx";
import { mayTest, type ShownRow } from "./shown-row.ts";
import { TestTab } from "./test-panel/test-tab.tsx";
import { useMadeFrom } from "./use-made-from.ts";
import { useRowSwitch } from "./use-row-switch.ts";

const watchMs = 10_000;
const address = "/manager/connectors/$key/$row" as const;

/** A row of a connector: its settings, operations, test panel, history and access. */
export function RowPage() {
  const { key, row: id } = useParams({ from: address });
  const input = { params: { row: id }, query: { operations: "none" as const } };
  const row = useApi("GET /manager/api/rows/{row}", input, { everyMs: watchMs });
  return (
    <LoadedPage
      of={row}
      what="The row"
      title="Row"
      parent={<RowCrumbs connector={key} />}
      skeleton={<DetailSkeleton hasTabs cards={[3, 5, 2]} />}
    >
      {(found) => <FoundRow key={id} row={found} isGone={row.error?.code === "not_found"} />}
    </LoadedPage>
  );
}

const tabNames: Record<RowTab, string> = {
  settings: "Settings",
  operations: "Operations",
  test: "Test",
  widgets: "Widgets",
  history: "History",
  access: "Access",
  rules: "Ask before acting",
};

function FoundRow({ row, isGone }: { row: ShownRow; isGone: boolean }) {
  const { isAdmin } = useMe();
  const search = useSearch({ from: address });
  const navigate = useNavigate({ from: address });
  const form = useRowForm(row.id, isAdmin && row.missing !== null);
  const rights = { isAdmin, mayTest: mayTest(row, isAdmin), hasWidgets: row.widgets.length > 0 };
  const tab = findTab(search, rights);
  const tabList = useShownTab(tab);
  return (
    <Page
      title={row.label}
      icon={<ConnectorLogo connectorKey={row.connector} name={row.label} logo={row.logo} />}
      badge={<RowStateName {...row.state} />}
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
      <StateNotice row={row} tab={tab} />
      <Tabs
        value={tab}
        keepMounted={false}
        onChange={(next) => {
          const chosen = rowTabs.find((name) => name === next) ?? "settings";
          void navigate({ search: { tab: chosen } });
        }}
      >
        <Tabs.List mb="md" ref={tabList}>
          {listTabs(rights).map((name) => (
            <Tabs.Tab key={name} value={name} ref={name === tab ? showTab : undefined}>
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
        <Tabs.Panel value="rules">
          <RulesTab row={row} />
        </Tabs.Panel>
      </Tabs>
      <UnsavedQuestion isDirty={form.unsaved.length > 0}>
        What you typed is not saved yet and will be lost.
      </UnsavedQuestion>
    </Page>
  );
}

/** Why the row cannot be called, or does not work, and where that is mended. A tab that says it itself has no second notice. */
function StateNotice({ row, tab }: { row: ShownRow; tab: RowTab }) {
  const { name, reason, fix } = row.state;
  if (name === "ready" || (reason === null && fix === null)) return null;
  if (name === "needs_setup" && tab === "settings" && (row.missing ?? []).length > 0) return null;
  if (name === "needs_review" && tab === "operations" && fix !== null) return null;
  // The switch beside the title enables it; a link to this page would do nothing.
  const isHere = fix?.path === `/manager/connectors/${encodeURIComponent(row.connector)}/${row.id}`;
  const isBad = ["unreachable", "refused", "failing"].includes(name);
  return (
    <Alert color={isBad ? "red" : name === "unused" ? "gray" : "yellow"} mb="md">
      {reason} {fix !== null && !isHere && <PathLink path={fix.path}>{fix.text}</PathLink>}
    </Alert>
  );
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
  const { isBusy, run } = useRowSwitch(row);
  return (
    <Button variant="default" loading={isBusy} onClick={run}>
      {row.disabled ? "Enable" : "Disable"}
    </Button>
  );
}
