import type { WorkflowSummary } from "@hub/contract/workflow-summary.ts";
import { Link } from "@tanstack/react-router";
import { useMe } from "../../../api/use-me.ts";
import { TagList } from "../../../ui/badges/tag-list.tsx";
import { type Column, DataTable } from "../../../ui/tables/data-table.tsx";
import { TableSkeleton } from "../../../ui/tables/table-skeleton.tsx";
import { TimeAt } from "../../../ui/text/time-at.tsx";
import { describeTriggers } from "../../../workflow-parts/describe-trigger.ts";
import {
  describeSuccessRate,
  findSuccessRate,
} from "../../../workflow-parts/runs/describe-runs.ts";
import { WorkflowRunLink } from "../../../workflow-parts/runs/run-link.tsx";
import { RunStateBadge } from "../../../workflow-parts/runs/run-state-badge.tsx";
import { RunStrip } from "../../../workflow-parts/runs/run-strip.tsx";
import { WorkflowState } from "../workflow-state.tsx";
import styles from "../workflows.module.css";

type Props = Omit<Parameters<typeof DataTable<WorkflowSummary>>[0], "columns" | "toKey" | "label">;

/** The table of workflows while they load. */
export function WorkflowTableSkeleton() {
  const { isAdmin } = useMe();
  return <TableSkeleton columns={isAdmin ? adminColumns : columns} />;
}

/** Workflows, newest first. A user has no columns of what only the owners of these workflows see. */
export function WorkflowTable(props: Props) {
  const { isAdmin } = useMe();
  const isOfOthers = props.rows.every(({ owner }) => owner === null);
  return (
    <DataTable
      {...props}
      opensRows
      label="Workflows"
      columns={isAdmin ? adminColumns : isOfOthers ? sharedColumns : columns}
      toKey={({ id }) => id}
    />
  );
}

function toColumns(isAdmin: boolean): Array<Column<WorkflowSummary>> {
  return [
    {
      key: "name",
      header: "Workflow",
      width: "minmax(6.5rem, 2.2fr)",
      render: ({ id, name, description }) => (
        <Link to="/workflows/$workflow" params={{ workflow: id }} title={description || name}>
          <bdi className={styles.words}>{name}</bdi>
        </Link>
      ),
    },
    {
      key: "state",
      header: "State",
      width: "minmax(5.75rem, 1.1fr)",
      render: (workflow) => <WorkflowState workflow={workflow} />,
    },
    {
      key: "triggers",
      header: "Starts",
      width: "minmax(6rem, 2.2fr)",
      isWideOnly: true,
      render: (workflow) => <Triggers workflow={workflow} />,
    },
    {
      key: "runs",
      header: "Last runs",
      width: "9.25rem",
      render: ({ recent_runs: runs }) => <LastRuns runs={runs} />,
    },
    {
      key: "last",
      header: "Last run",
      width: "minmax(7.75rem, 1.2fr)",
      render: ({ last_run: run }) => <LastRun run={run} />,
    },
    {
      key: "next",
      header: "Next run",
      width: "8.5rem",
      isWideOnly: true,
      isLargeOnly: true,
      render: ({ next_run_at: at }) => (at === null ? "–" : <TimeAt at={at} />),
    },
    {
      key: "owner",
      header: "Owner",
      width: "minmax(4rem, 1fr)",
      isWideOnly: true,
      isLargeOnly: true,
      render: ({ owner, has_active_owner: isActive }) => (
        <span title={owner?.email}>
          {owner?.email ?? "–"}
          {!isActive && " (not active)"}
        </span>
      ),
    },
    {
      key: "tags",
      header: "Tags",
      width: "minmax(3.75rem, 1fr)",
      isWideOnly: true,
      isLargeOnly: true,
      render: ({ tags }) => <TagList tags={tags} isPlain={!isAdmin} />,
    },
  ];
}

const adminColumns = toColumns(true);
const columns = toColumns(false);
const sharedColumns = columns.filter(({ key }) => !["triggers", "next", "owner"].includes(key));

function Triggers({ workflow: { triggers, version } }: { workflow: WorkflowSummary }) {
  if (triggers === null || version === 0) return "–";
  if (triggers.length === 0) return "Nothing";
  const text = describeTriggers(triggers);
  return (
    <span className={styles.words} title={text}>
      {text}
    </span>
  );
}

function LastRuns({ runs }: { runs: WorkflowSummary["recent_runs"] }) {
  if (runs.length === 0) return "–";
  return (
    <span className={styles.lastRuns}>
      <RunStrip runs={runs.map(({ took_ms: tookMs, ...run }) => ({ ...run, tookMs }))} />
      {findSuccessRate(runs) !== null && (
        <span title={`${describeSuccessRate(runs)} of the last runs succeeded`}>
          {describeSuccessRate(runs)}
        </span>
      )}
    </span>
  );
}

function LastRun({ run }: { run: WorkflowSummary["last_run"] }) {
  if (run === null) return "Never";
  return (
    <span className={styles.lastRun} title={run.error?.message}>
      <WorkflowRunLink workflow={run.workflow_id} run={run.id}>
        <RunStateBadge state={run.state} />
      </WorkflowRunLink>
      <span className={styles.when}>
        <TimeAt at={run.ended_at ?? run.started_at ?? run.created_at} />
      </span>
    </span>
  );
}
