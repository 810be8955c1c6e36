import type { WorkflowDetail } from "@hub/contract/workflow.ts";
import type { WorkflowScheduledRun } from "@hub/contract/workflow-scheduled.ts";
import { Alert, Button, Group } from "@mantine/core";
import { useState } from "react";
import { useApi, useChange, usePages } from "../../../api/use-api.ts";
import { ConfirmDialog } from "../../../ui/dialogs/confirm-dialog.tsx";
import { useToast } from "../../../ui/dialogs/toasts.tsx";
import { Card } from "../../../ui/page/card.tsx";
import { EmptyState } from "../../../ui/page/empty-state.tsx";
import { Loaded } from "../../../ui/page/loaded.tsx";
import { PageSkeleton } from "../../../ui/page/page-skeleton.tsx";
import { type Column, DataTable } from "../../../ui/tables/data-table.tsx";
import { MoreFailed } from "../../../ui/tables/more-failed.tsx";
import { formatExact } from "../../../ui/text/format.ts";
import { TimeAgo } from "../../../ui/text/time-ago.tsx";
import { WorkflowRunLink } from "../../../workflow-parts/runs/run-link.tsx";
import { workflowRunRoutes } from "../../../workflow-parts/workflow-routes.ts";
import styles from "../workflows.module.css";
import { MoveRunDialog } from "./move-run-dialog.tsx";

const everyMs = 5_000;
const pageSize = 100;

/** What starts by time: the next ticks of cron triggers, and runs that wait for their time. */
export function ScheduleTab({ workflow }: { workflow: WorkflowDetail }) {
  return (
    <>
      {!workflow.enabled && (
        <Alert color="yellow" mb="md">
          The workflow is disabled: its ticks start no runs.
        </Alert>
      )}
      <Ticks workflow={workflow} />
      <ScheduledRuns workflow={workflow} />
    </>
  );
}

function Ticks({ workflow }: { workflow: WorkflowDetail }) {
  const params = { workflow: workflow.id };
  const ticks = useApi(
    "GET /manager/api/workflows/{workflow}/ticks",
    { params },
    { everyMs: 30_000 },
  );
  return (
    <Card title="Next times">
      <Loaded of={ticks} what="The next times" skeleton={<PageSkeleton lines={3} />}>
        {({ triggers }) =>
          triggers.length === 0 ? (
            <p>
              {workflow.version === 0
                ? "Schedules start runs once the workflow is published."
                : "The published version has no schedule."}
            </p>
          ) : (
            <ul className={styles.schedules}>
              {triggers.map(({ trigger_id: id, schedule, words, timezone, ticks: times }) => (
                <li key={id}>
                  <div>
                    <strong>{words || id}</strong>{" "}
                    <span className={styles.when}>
                      {timezone}, <code>{schedule}</code>
                      {words && `, trigger ${id}`}
                    </span>
                  </div>
                  {times.length === 0 ? (
                    <p>It never ticks again.</p>
                  ) : (
                    <ol>
                      {times.slice(0, 5).map((at) => (
                        <li key={at}>
                          {formatExact(at)}{" "}
                          <span className={styles.when}>
                            <TimeAgo at={at} />
                          </span>
                        </li>
                      ))}
                    </ol>
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
}

function ScheduledRuns({ workflow }: { workflow: WorkflowDetail }) {
  const toast = useToast();
  const [moved, setMoved] = useState<WorkflowScheduledRun | null>(null);
  const [dropped, setDropped] = useState<WorkflowScheduledRun | null>(null);
  const params = { workflow: workflow.id };
  const pages = usePages(
    "GET /manager/api/workflows/{workflow}/scheduled",
    { params, query: { limit: pageSize } },
    "after",
    { everyMs },
  );
  const drop = useChange("DELETE /manager/api/workflows/{workflow}/scheduled/{run}", {
    refreshes: workflowRunRoutes,
    onDone() {
      setDropped(null);
      toast({ text: "The run is cancelled and will not start." });
    },
    onFailed({ message }) {
      setDropped(null);
      toast({ kind: "error", text: message });
    },
  });
  return (
    <>
      <Loaded of={pages} what="The scheduled runs" skeleton={<PageSkeleton lines={4} />}>
        {(data) => {
          const runs = data.pages.flatMap((page) => page.runs);
          if (runs.length === 0) {
            return (
              <EmptyState icon="clock" title="No run waits for its time">
                A node whose output has schedule_at queues a run that starts at that time. It can be
                moved and dropped here.
              </EmptyState>
            );
          }
          return (
            <>
              <h2 className={styles.above}>Scheduled runs</h2>
              <DataTable
                label="Scheduled runs"
                rows={runs}
                columns={toColumns(workflow.id, { onMove: setMoved, onDrop: setDropped })}
                toKey={({ id }) => id}
                onMore={pages.onMore}
                isLoadingMore={pages.isFetching}
              />
              <MoreFailed of={pages} what="More scheduled runs" />
            </>
          );
        }}
      </Loaded>
      {moved !== null && (
        <MoveRunDialog workflow={workflow.id} run={moved} onClose={() => setMoved(null)} />
      )}
      <ConfirmDialog
        isOpen={dropped !== null}
        title="Drop this run?"
        action="Drop"
        isDangerous
        isBusy={drop.isPending}
        onConfirm={() => dropped !== null && drop.run({ params: { ...params, run: dropped.id } })}
        onClose={() => setDropped(null)}
      >
        {dropped !== null &&
          `The run of ${formatExact(dropped.scheduled_at)} is cancelled and will not start. It stays in the list of runs, where it can be replayed.`}
      </ConfirmDialog>
    </>
  );
}

type Handlers = {
  onMove: (run: WorkflowScheduledRun) => void;
  onDrop: (run: WorkflowScheduledRun) => void;
};

function toColumns(workflow: string, { onMove, onDrop }: Handlers) {
  const columns: Array<Column<WorkflowScheduledRun>> = [
    {
      key: "at",
      header: "Starts",
      width: "minmax(10.5rem, 2fr)",
      render: ({ id, scheduled_at: at }) => (
        <WorkflowRunLink workflow={workflow} run={id}>
          {formatExact(at)}
        </WorkflowRunLink>
      ),
    },
    {
      key: "in",
      header: "In",
      width: "6.5rem",
      render: ({ scheduled_at: at }) => <TimeAgo at={at} />,
    },
    {
      key: "trigger",
      header: "Trigger",
      width: "minmax(4.5rem, 1fr)",
      isWideOnly: true,
      render: ({ trigger_id: id }) => id,
    },
    {
      key: "version",
      header: "Version",
      width: "3.75rem",
      isWideOnly: true,
      isLargeOnly: true,
      render: ({ version }) => version ?? "Draft",
    },
    {
      key: "created",
      header: "Scheduled",
      width: "7rem",
      isWideOnly: true,
      render: ({ created_at: at }) => <TimeAgo at={at} />,
    },
    {
      key: "action",
      header: "Action",
      width: "6.75rem",
      align: "end",
      render: (run) => (
        <Group gap="xs" wrap="nowrap" justify="flex-end">
          <Button
            size="compact-xs"
            variant="default"
            aria-label={`Move the run of ${formatExact(run.scheduled_at)}`}
            onClick={() => onMove(run)}
          >
            Move
          </Button>
          <Button
            size="compact-xs"
            variant="danger"
            aria-label={`Drop the run of ${formatExact(run.scheduled_at)}`}
            onClick={() => onDrop(run)}
          >
            Drop
          </Button>
        </Group>
      ),
    },
  ];
  return columns;
}
