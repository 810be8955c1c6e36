import type { WorkflowDetail } from "@hub/contract/workflow.ts";
import { Alert, Button, Tabs } from "@mantine/core";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useApi, useChange } from "../../api/use-api.ts";
import { Icon } from "../../ui/controls/icon.tsx";
import { useShownTab } from "../../ui/controls/use-shown-tab.ts";
import { useToast } from "../../ui/dialogs/toasts.tsx";
import { DetailSkeleton } from "../../ui/page/detail-skeleton.tsx";
import { LoadedPage } from "../../ui/page/loaded-page.tsx";
import { Page } from "../../ui/page/page-frame.tsx";
import { showTab } from "../../ui/page/show-tab.ts";
import { PublishDialog } from "../../workflow-parts/publish/publish-dialog.tsx";
import { ManualRunDialog } from "../../workflow-parts/runs/manual-run-dialog.tsx";
import { workflowRoutes } from "../../workflow-parts/workflow-routes.ts";
import { OverviewTab } from "./overview/overview-tab.tsx";
import { RunsTab } from "./runs/runs-tab.tsx";
import { ScheduleTab } from "./schedule/schedule-tab.tsx";
import { SecretsTab } from "./secrets-tab.tsx";
import { OfferNotice } from "./settings/owner-card.tsx";
import { SettingsTab } from "./settings/workflow-settings-tab.tsx";
import { VersionsTab } from "./versions-tab.tsx";
import { WebhooksTab } from "./webhooks/webhooks-tab.tsx";
import { WordsTab } from "./words-tab.tsx";
import { WorkflowFacts } from "./workflow-facts.tsx";
import { findTab, type WorkflowSearch, type WorkflowTab } from "./workflow-search.ts";
import { WorkflowState } from "./workflow-state.tsx";

const address = "/workflows/$workflow" as const;
const watchMs = 10_000;

/** A workflow: its picture, state, runs, schedule, versions, secrets and settings. */
export function WorkflowPage() {
  const { workflow: id } = useParams({ from: address });
  const workflow = useApi(
    "GET /manager/api/workflows/{workflow}",
    { params: { workflow: id } },
    { everyMs: watchMs },
  );
  return (
    <LoadedPage
      of={workflow}
      what="The workflow"
      title="Workflow"
      parent={<Link to="/workflows">Workflows</Link>}
      skeleton={<DetailSkeleton hasTabs cards={[8]} />}
    >
      {(found) => (
        <FoundWorkflow key={id} workflow={found} isGone={workflow.error?.code === "not_found"} />
      )}
    </LoadedPage>
  );
}

const tabNames: Record<WorkflowTab, string> = {
  overview: "Overview",
  runs: "Runs",
  schedule: "Schedule",
  webhooks: "Webhooks",
  versions: "Versions",
  words: "In words",
  secrets: "Secrets",
  settings: "Settings",
};

/** What each right shows. Who shares a tag sees how runs ended; who is offered a workflow reads it. */
const tabsOf: Record<WorkflowDetail["access"], readonly WorkflowTab[]> = {
  manage: ["overview", "runs", "schedule", "webhooks", "versions", "words", "secrets", "settings"],
  accept: ["overview", "runs", "versions", "words", "secrets"],
  see: ["runs"],
};

function FoundWorkflow({ workflow, isGone }: { workflow: WorkflowDetail; isGone: boolean }) {
  const search = useSearch({ from: address });
  const navigate = useNavigate({ from: address });
  const { id, access } = workflow;
  const shown = tabsOf[access];
  const tab = findTab(search, shown);
  const tabList = useShownTab(tab);
  const showRun = (run: string) => void navigate({ search: { run } });
  const close = () =>
    void navigate({ search: ({ open: _, ...rest }: WorkflowSearch) => rest, replace: true });
  return (
    <Page
      title={workflow.name}
      badge={<WorkflowState workflow={workflow} />}
      parent={<Link to="/workflows">Workflows</Link>}
      lead={workflow.description || undefined}
      actions={<Actions workflow={workflow} />}
    >
      {isGone && (
        <Alert color="red" role="alert" mb="md" title="This workflow was deleted">
          Nothing here can be saved or run any more.
        </Alert>
      )}
      {access === "accept" && <OfferNotice workflow={workflow} />}
      <WorkflowFacts workflow={workflow} />
      <Tabs
        value={tab}
        keepMounted={false}
        onChange={(next) => {
          const chosen = shown.find((name) => name === next);
          void navigate({ search: chosen === undefined ? {} : { tab: chosen } });
        }}
      >
        {shown.length > 1 && (
          <Tabs.List mb="md" ref={tabList}>
            {shown.map((name) => (
              <Tabs.Tab key={name} value={name} ref={name === tab ? showTab : undefined}>
                {tabNames[name]}
              </Tabs.Tab>
            ))}
          </Tabs.List>
        )}
        <Tabs.Panel value="overview">
          <OverviewTab workflow={workflow} />
        </Tabs.Panel>
        <Tabs.Panel value="runs">
          <RunsTab workflow={workflow} />
        </Tabs.Panel>
        <Tabs.Panel value="schedule">
          <ScheduleTab workflow={workflow} />
        </Tabs.Panel>
        <Tabs.Panel value="webhooks">
          <WebhooksTab workflow={workflow} />
        </Tabs.Panel>
        <Tabs.Panel value="versions">
          <VersionsTab workflow={workflow} />
        </Tabs.Panel>
        <Tabs.Panel value="words">
          <WordsTab workflow={workflow} />
        </Tabs.Panel>
        <Tabs.Panel value="secrets">
          <SecretsTab workflow={workflow} />
        </Tabs.Panel>
        <Tabs.Panel value="settings">
          <SettingsTab workflow={workflow} />
        </Tabs.Panel>
      </Tabs>
      {search.open === "publish" && access === "manage" && (
        <PublishDialog
          workflow={workflow}
          onGo={(node) =>
            void navigate({
              to: "/workflows/$workflow/edit",
              params: { workflow: id },
              search: { node },
            })
          }
          onClose={close}
        />
      )}
      {search.open === "run" && workflow.may_start && (
        <ManualRunDialog key={id} workflow={workflow} onStarted={showRun} onClose={close} />
      )}
    </Page>
  );
}

function Actions({ workflow }: { workflow: WorkflowDetail }) {
  const { id, access, draft, may_start: mayStart } = workflow;
  return (
    <>
      {access === "manage" && <WorkflowSwitch workflow={workflow} />}
      {access !== "see" && (
        <Button
          variant="default"
          renderRoot={(props) => (
            <Link {...props} to="/workflows/$workflow/edit" params={{ workflow: id }} />
          )}
        >
          {access === "manage" ? "Edit" : "Look at it"}
        </Button>
      )}
      {access === "manage" && draft?.is_published === false && (
        <Button
          variant="default"
          renderRoot={(props) => (
            <Link
              {...props}
              to="/workflows/$workflow"
              params={{ workflow: id }}
              search={(before: object) => ({ ...before, open: "publish" as const })}
            />
          )}
        >
          Publish
        </Button>
      )}
      {mayStart && (
        <Button
          // To one who is offered the workflow, accepting it comes first.
          variant={access === "accept" ? "default" : "filled"}
          leftSection={<Icon name="play" />}
          renderRoot={(props) => (
            <Link
              {...props}
              to="/workflows/$workflow"
              params={{ workflow: id }}
              search={(before: object) => ({ ...before, open: "run" as const })}
            />
          )}
        >
          Run
        </Button>
      )}
    </>
  );
}

function WorkflowSwitch({
  workflow: { id, name, enabled, version },
}: {
  workflow: WorkflowDetail;
}) {
  const toast = useToast();
  const params = { params: { workflow: id } };
  const enable = useChange("POST /manager/api/workflows/{workflow}/enable", {
    refreshes: workflowRoutes,
    onDone: () => toast({ text: `${name} is enabled.`, onUndo: () => disable.run(params) }),
  });
  const disable = useChange("POST /manager/api/workflows/{workflow}/disable", {
    refreshes: workflowRoutes,
    onDone: () =>
      toast({
        text: `${name} is disabled: its triggers start no runs.`,
        onUndo: () => enable.run(params),
      }),
  });
  const failure = enable.error ?? disable.error;
  if (version === 0) return null;
  return (
    <>
      {failure !== null && <span role="alert">{failure.message}</span>}
      {enabled ? (
        <Button variant="default" loading={disable.isPending} onClick={() => disable.run(params)}>
          Disable
        </Button>
      ) : (
        <Button variant="default" loading={enable.isPending} onClick={() => enable.run(params)}>
          Enable
        </Button>
      )}
    </>
  );
}
