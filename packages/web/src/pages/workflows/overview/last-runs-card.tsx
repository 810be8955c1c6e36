import type { WorkflowDetail } from "@hub/contract/workflow.ts";
import type { WorkflowRun } from "@hub/contract/workflow-run.ts";
import { Link } from "@tanstack/react-router";
import { Card } from "../../../ui/page/card.tsx";
import { Loaded, type Reading } from "../../../ui/page/loaded.tsx";
import { PageSkeleton } from "../../../ui/page/page-skeleton.tsx";
import { TimeAt } from "../../../ui/text/time-at.tsx";
import {
  describeSuccessRate,
  findSuccessRate,
} from "../../../workflow-parts/runs/describe-runs.ts";
import { WorkflowRunLink } from "../../../workflow-parts/runs/run-link.tsx";
import { RunStateBadge } from "../../../workflow-parts/runs/run-state-badge.tsx";
import { RunStrip } from "../../../workflow-parts/runs/run-strip.tsx";
import { describeReason } from "../runs/describe-run.ts";
import styles from "./overview.module.css";
import { listLiveRuns } from "./use-last-run.ts";

type Props = { workflow: WorkflowDetail; runs: Reading<{ runs: WorkflowRun[] }> };

const linesShown = 5;

/** The last runs: how many succeeded, all as bars, and the newest with why they failed. */
export function LastRunsCard({ workflow, runs }: Props) {
  const all = (
    <Link to="/workflows/$workflow" params={{ workflow: workflow.id }} search={{ tab: "runs" }}>
      All runs
    </Link>
  );
  return (
    <Card title="Last runs" actions={all}>
      <Loaded of={runs} what="The runs" skeleton={<PageSkeleton lines={3} />}>
        {({ runs: found }) => {
          const live = listLiveRuns(found);
          if (live.length === 0) return <p className={styles.none}>It has not run yet.</p>;
          return (
            <>
              <div className={styles.rate}>
                <RunStrip isLarge runs={live.map(toBar)} />
                {findSuccessRate(live) !== null && (
                  <span>
                    <strong>{describeSuccessRate(live)}</strong> succeeded
                  </span>
                )}
              </div>
              <ul className={styles.lines}>
                {live.slice(0, linesShown).map((run) => (
                  <RunLine key={run.id} run={run} />
                ))}
              </ul>
            </>
          );
        }}
      </Loaded>
    </Card>
  );
}

function toBar({ state, started_at: from, ended_at: to, created_at: made }: WorkflowRun) {
  const tookMs = from === null || to === null ? null : Date.parse(to) - Date.parse(from);
  return { state, at: from ?? made, tookMs };
}

function RunLine({ run }: { run: WorkflowRun }) {
  const reason = describeReason(run);
  return (
    <li>
      <WorkflowRunLink workflow={run.workflow_id} run={run.id}>
        <RunStateBadge state={run.state} />
      </WorkflowRunLink>
      <span className={`${styles.soft} ${styles.cut}`}>{run.started_by ?? ""}</span>
      <TimeAt at={run.started_at ?? run.created_at} />
      {reason !== "" && <span className={styles.reason}>{reason}</span>}
    </li>
  );
}
