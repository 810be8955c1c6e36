import type { WorkflowDetail } from "@hub/contract/workflow.ts";
import type { WorkflowRun } from "@hub/contract/workflow-run.ts";
import { Button } from "@mantine/core";
import { useMemo } from "react";
import { Icon } from "../../../ui/controls/icon.tsx";
import { type Column, DataTable } from "../../../ui/tables/data-table.tsx";
import { TableSkeleton } from "../../../ui/tables/table-skeleton.tsx";
import { formatDuration } from "../../../ui/text/format.ts";
import { TimeAt } from "../../../ui/text/time-at.tsx";
import { describeTriggerType } from "../../../workflow-parts/describe-trigger.ts";
import { WorkflowRunLink } from "../../../workflow-parts/runs/run-link.tsx";
import { RunModeBadge } from "../../../workflow-parts/runs/run-mode-badge.tsx";
import { RunStateBadge } from "../../../workflow-parts/runs/run-state-badge.tsx";
import { isActive } from "../../../workflow-parts/runs/run-states.ts";
import styles from "../workflows.module.css";
import { CancelRunButton } from "./cancel-run-button.tsx";
import { describeReason } from "./describe-run.ts";
import { listTriggers } from "./list-triggers.ts";

type Props = Omit<Parameters<typeof DataTable<WorkflowRun>>[0], "columns" | "toKey" | "label"> & {
  workflow: WorkflowDetail;
  onReplay: (run: WorkflowRun) => void;
};

/** Runs of a workflow: what started each, how it ended and why. */
export function RunTable({ workflow, onReplay, ...props }: Props) {
  const { access, may_start: mayStart } = workflow;
  // Those who may not replay have nothing to do for runs that have ended.
  const hasActions = mayStart && (access === "manage" || props.rows.some(isActive));
  const columns = useMemo(
    () => toColumns(workflow, hasActions, onReplay),
    [workflow, hasActions, onReplay],
  );
  return <DataTable {...props} opensRows label="Runs" columns={columns} toKey={({ id }) => id} />;
}

/** The table while it loads. */
export function RunTableSkeleton({ workflow }: Pick<Props, "workflow">) {
  const { access, may_start: mayStart } = workflow;
  return <TableSkeleton columns={toColumns(workflow, mayStart && access === "manage", () => {})} />;
}

function toColumns(
  { access, body }: WorkflowDetail,
  hasActions: boolean,
  onReplay: (run: WorkflowRun) => void,
): Array<Column<WorkflowRun>> {
  const labels = new Map(listTriggers(body).map(({ id, label }) => [id, label]));
  const reads = access === "manage";
  return [
    {
      key: "trigger",
      header: "Started by",
      width: "minmax(7rem, 2.2fr)",
      render: (run) => <Starter run={run} label={labels.get(run.trigger_id) ?? run.trigger_id} />,
    },
    {
      key: "state",
      header: "State",
      width: "6rem",
      render: ({ state }) => <RunStateBadge state={state} />,
    },
    ...(reads
      ? [
          {
            key: "why",
            header: "Why",
            width: "minmax(6rem, 3fr)",
            render: (run: WorkflowRun) => {
              const reason = describeReason(run);
              return (
                <span className={styles.reason} title={reason}>
                  {reason}
                </span>
              );
            },
          },
        ]
      : []),
    {
      key: "version",
      header: "Version",
      width: "3.75rem",
      isWideOnly: true,
      isLargeOnly: true,
      render: ({ version }) => (version === null ? "Draft" : `${version}`),
    },
    {
      key: "took",
      header: "Took",
      width: "4rem",
      align: "end",
      isWideOnly: true,
      isLargeOnly: true,
      render: ({ started_at: from, ended_at: to }) =>
        from === null || to === null ? "–" : formatDuration(Date.parse(to) - Date.parse(from)),
    },
    {
      key: "at",
      header: "Started",
      width: "8.5rem",
      align: "end",
      render: (run) => <TimeAt at={run.scheduled_at ?? run.started_at ?? run.created_at} />,
    },
    ...(hasActions
      ? [
          {
            key: "action",
            header: "Action",
            width: "4.25rem",
            align: "end" as const,
            isAction: true,
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

function Starter({ run, label }: { run: WorkflowRun; label: string }) {
  const { icon, name } = describeTriggerType(run.trigger_type);
  // Of triggers that fire by themselves, it repeats their name.
  const isPlain = /^(?:webhook|cron|schedule|error) /.test(run.started_by ?? "");
  const by = isPlain ? name : run.started_by;
  return (
    <span className={styles.starter}>
      <span className={styles.named}>
        <Icon name={icon} />
        <WorkflowRunLink
          workflow={run.workflow_id}
          run={run.id}
          title={`${name}: ${run.trigger_id}`}
        >
          {label}
        </WorkflowRunLink>
        {by !== null && <span className={styles.when}>{by}</span>}
      </span>
      <RunModeBadge mode={run.mode} />
    </span>
  );
}
