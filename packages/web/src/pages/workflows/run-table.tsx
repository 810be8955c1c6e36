import type { WorkflowDetail } from "@hub/contract/workflow.ts";
import type { WorkflowRun } from "@hub/contract/workflow-run.ts";
import { Button } from "@mantine/core";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { formatDuration } from "../../ui/format.ts";
import { Icon } from "../../ui/icon.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";
import { describeTriggerType } from "../../workflows/describe-trigger.ts";
import { WorkflowRunLink } from "../../workflows/run-link.tsx";
import { RunStateBadge } from "../../workflows/run-state-badge.tsx";
import { isActive } from "../../workflows/run-states.ts";
import { CancelRunButton } from "./cancel-run-button.tsx";
import { describeReason } from "./describe-run.ts";
import styles from "./workflows.module.css";

type Props = Omit<Parameters<typeof DataTable<WorkflowRun>>[0], "columns" | "toKey" | "label"> & {
  workflow: WorkflowDetail;
  onReplay: (run: WorkflowRun) => void;
};

/** Runs of a workflow: what started each, how it ended and why. */
export function RunTable({ workflow, onReplay, ...props }: Props) {
  return (
    <DataTable
      {...props}
      label="Runs"
      columns={toColumns(workflow, onReplay)}
      toKey={({ id }) => id}
    />
  );
}

function toColumns(
  { access, may_start: mayStart }: WorkflowDetail,
  onReplay: (run: WorkflowRun) => void,
): Array<Column<WorkflowRun>> {
  const reads = access === "manage";
  return [
    {
      key: "trigger",
      header: "Started by",
      width: "minmax(9rem, 2fr)",
      render: (run) => <Starter run={run} />,
    },
    {
      key: "state",
      header: "State",
      width: "6.5rem",
      render: ({ state }) => <RunStateBadge state={state} />,
    },
    ...(reads
      ? [
          {
            key: "why",
            header: "Why",
            width: "minmax(8rem, 3fr)",
            render: (run: WorkflowRun) => {
              const reason = describeReason(run);
              return <span title={reason}>{reason || "–"}</span>;
            },
          },
        ]
      : []),
    {
      key: "version",
      header: "Version",
      width: "4.5rem",
      isWideOnly: true,
      render: ({ version }) => (version === null ? "Draft" : `${version}`),
    },
    {
      key: "took",
      header: "Took",
      width: "5rem",
      align: "end",
      isWideOnly: true,
      render: ({ started_at: from, ended_at: to }) =>
        from === null || to === null ? "–" : formatDuration(Date.parse(to) - Date.parse(from)),
    },
    {
      key: "at",
      header: "Started",
      width: "7.5rem",
      align: "end",
      render: (run) => <TimeAgo at={run.scheduled_at ?? run.started_at ?? run.created_at} />,
    },
    ...(mayStart
      ? [
          {
            key: "action",
            header: "Action",
            width: "5rem",
            align: "end" as const,
            render: (run: WorkflowRun) => {
              if (isActive(run)) return <CancelRunButton run={run} size="compact-xs" />;
              if (!reads || run.state === "dropped") return null;
              return (
                <Button
                  size="compact-xs"
                  variant="default"
                  aria-label={`Replay the run of ${run.trigger_id}`}
                  onClick={() => onReplay(run)}
                >
                  Replay
                </Button>
              );
            },
          },
        ]
      : []),
  ];
}

function Starter({ run }: { run: WorkflowRun }) {
  const { icon, name } = describeTriggerType(run.trigger_type);
  return (
    <span className={styles.starter}>
      <Icon name={icon} />
      <WorkflowRunLink workflow={run.workflow_id} run={run.id} title={`${name}: ${run.trigger_id}`}>
        {run.trigger_id}
      </WorkflowRunLink>
      {run.started_by !== null && <span className={styles.when}>{run.started_by}</span>}
    </span>
  );
}
