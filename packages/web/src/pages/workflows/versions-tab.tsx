import type { WorkflowDetail, WorkflowVersion } from "@hub/contract/workflow.ts";
import { Button, Group } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useApi, useChange } from "../../api/use-api.ts";
import { IconButton } from "../../ui/controls/icon-button.tsx";
import { useToast } from "../../ui/dialogs/toasts.tsx";
import { JsonTree } from "../../ui/json/json-tree.tsx";
import { Card } from "../../ui/page/card.tsx";
import { EmptyState } from "../../ui/page/empty-state.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { PageSkeleton } from "../../ui/page/page-skeleton.tsx";
import { DataTable } from "../../ui/tables/data-table.tsx";
import { FilterSelect } from "../../ui/tables/filter-bar.tsx";
import { TableSkeleton } from "../../ui/tables/table-skeleton.tsx";
import { Difference } from "../../workflow-parts/difference/difference.tsx";
import { workflowRoutes } from "../../workflow-parts/workflow-routes.ts";
import { toVersionColumns } from "./version-columns.tsx";

const address = "/workflows/$workflow" as const;

/** For what has the shape of the table. */
const shapeColumns = toVersionColumns({ onShow: () => {}, onRestore: () => {} });

/** The publications of a workflow: show, compare, restore into the draft. */
export function VersionsTab({ workflow }: { workflow: WorkflowDetail }) {
  const search = useSearch({ from: address });
  const navigate = useNavigate({ from: address });
  const params = { workflow: workflow.id };
  const versions = useApi("GET /manager/api/workflows/{workflow}/versions", { params });
  const restore = useRestore(workflow);
  return (
    <Loaded
      of={versions}
      what="The versions"
      skeleton={<TableSkeleton columns={shapeColumns} lines={5} />}
    >
      {({ versions: found }) => {
        if (found.length === 0) {
          return (
            <EmptyState
              icon="branch"
              title="Never published"
              action={
                workflow.access === "manage" && (
                  <Button
                    variant="default"
                    onClick={() => void navigate({ search: { tab: "versions", open: "publish" } })}
                  >
                    Publish
                  </Button>
                )
              }
            >
              A version is a copy of the draft that triggers run. Publishing makes one and keeps the
              ones before.
            </EmptyState>
          );
        }
        return (
          <>
            {search.version !== undefined && (
              <ShownVersion
                workflow={workflow.id}
                version={search.version}
                onClose={() => void navigate({ search: { tab: "versions" } })}
              />
            )}
            <DataTable
              label="Versions"
              rows={found}
              columns={toVersionColumns({
                onShow: ({ version }) =>
                  void navigate({ search: { tab: "versions", version: String(version) } }),
                onRestore: workflow.access === "manage" ? restore.run : null,
              })}
              toKey={({ version }) => String(version)}
            />
            <p role="status">
              {found.length === 1
                ? "1 version"
                : `${found.length} versions. The 100 newest are kept.`}
            </p>
            {/* Last, because its height is that of the difference. */}
            <Comparison workflow={workflow} versions={found} />
          </>
        );
      }}
    </Loaded>
  );
}

/** Makes a version the draft at once. The draft before can be had back. */
function useRestore(workflow: WorkflowDetail) {
  const toast = useToast();
  const { id, name, body, draft } = workflow;
  const params = { workflow: id };
  const onFailed = ({ message }: { message: string }) => toast({ kind: "error", text: message });
  const undo = useChange("PUT /manager/api/workflows/{workflow}/draft", {
    refreshes: workflowRoutes,
    onDone: () => toast({ text: `The draft of ${name} is as it was.` }),
    onFailed,
  });
  const restore = useChange("POST /manager/api/workflows/{workflow}/versions/{version}/restore", {
    refreshes: workflowRoutes,
    onDone({ draft: restored }, { params: { version } }) {
      const revision = restored?.revision ?? 0;
      toast({
        text: `The draft is version ${version} again.`,
        onUndo: () => undo.run({ params, body: { revision, body } }),
      });
    },
    onFailed,
  });
  return {
    run: ({ version }: WorkflowVersion) =>
      restore.run({
        params: { ...params, version },
        body: { revision: draft?.revision ?? 0 },
      }),
  };
}

type ComparisonProps = { workflow: WorkflowDetail; versions: readonly WorkflowVersion[] };

function Comparison({ workflow, versions }: ComparisonProps) {
  const search = useSearch({ from: address });
  const navigate = useNavigate({ from: address });
  const { older = "published", newer = "draft" } = search;
  const difference = useApi("GET /manager/api/workflows/{workflow}/diff", {
    params: { workflow: workflow.id },
    query: { from: older, to: newer },
  });
  const options = [
    { value: "draft", label: "Draft" },
    { value: "published", label: `Published version ${workflow.version}` },
    ...versions.map(({ version }) => ({ value: String(version), label: `Version ${version}` })),
  ];
  const set = (change: { older?: string; newer?: string }) =>
    void navigate({ search: { tab: "versions", older, newer, ...change }, replace: true });
  return (
    <Card title="Compare">
      <Group gap="sm" mb="sm">
        <FilterSelect
          label="From"
          any="From: published"
          options={options}
          value={older}
          onChange={(value) => set({ older: value || "published" })}
        />
        <FilterSelect
          label="To"
          any="To: draft"
          options={options}
          value={newer}
          onChange={(value) => set({ newer: value || "draft" })}
        />
      </Group>
      <div aria-live="polite">
        <Loaded of={difference} what="The difference" skeleton={<PageSkeleton lines={2} />}>
          {(found) => (
            <Difference
              key={`${older} ${newer}`}
              workflow={workflow.id}
              older={toSide(older, workflow)}
              newer={toSide(newer, workflow)}
              difference={found.difference}
            />
          )}
        </Loaded>
      </div>
    </Card>
  );
}

/** The published version by its number. */
const toSide = (side: string, { version }: WorkflowDetail) =>
  side === "published" ? String(version) : side;

type ShownProps = { workflow: string; version: string; onClose: () => void };

function ShownVersion({ workflow, version, onClose }: ShownProps) {
  const shown = useApi("GET /manager/api/workflows/{workflow}/versions/{version}", {
    params: { workflow, version: Number(version) },
  });
  return (
    <Card
      title={`Version ${version}`}
      actions={<IconButton icon="close" label="Close this version" onClick={onClose} />}
    >
      <Loaded of={shown} what="The version" skeleton={<PageSkeleton lines={4} />}>
        {({ body }) => <JsonTree value={body} label="Body" />}
      </Loaded>
    </Card>
  );
}
