import type { WorkflowDetail } from "@hub/contract/workflow.ts";
import type { WorkflowRun } from "@hub/contract/workflow-run.ts";
import { Link } from "@tanstack/react-router";
import { Card } from "../../../ui/page/card.tsx";
import { TimeAt } from "../../../ui/text/time-at.tsx";
import { WorkflowRunLink } from "../../../workflow-parts/runs/run-link.tsx";
import { useMyDecisions } from "../../../workflow-parts/use-my-approvals.ts";
import { describeReason } from "../runs/describe-run.ts";
import styles from "./overview.module.css";

type Props = { workflow: WorkflowDetail; runs: readonly WorkflowRun[] };

const shownMax = 5;

/** What waits for people: approvals that the user may decide, and runs that wait for others. */
export function WaitingCard({ workflow: { id }, runs }: Props) {
  // The menu reads the same.
  const mine = useMyDecisions().filter(({ workflow_id: workflow }) => workflow === id);
  const ofMine = new Set(mine.map(({ run_id: run }) => run));
  const others = runs.filter(({ id: run, waiting_for: waiting }) => {
    return ["approval", "person"].includes(Object(waiting).kind) && !ofMine.has(run);
  });
  if (mine.length + others.length === 0) return null;
  const all = (
    <Link to="/approvals" search={{ who: "all", workflow: id }}>
      All approvals
    </Link>
  );
  return (
    <Card title="Waits for a person" actions={all}>
      <ul className={styles.lines}>
        {mine.slice(0, shownMax).map((approval) => (
          <li key={approval.id}>
            <Link to="/approvals/$approval" params={{ approval: approval.id }}>
              Decide
            </Link>
            <span className={styles.soft}>{approval.title}</span>
            <TimeAt at={approval.created_at} />
          </li>
        ))}
        {others.slice(0, shownMax).map((run) => (
          <li key={run.id}>
            <WorkflowRunLink workflow={run.workflow_id} run={run.id}>
              Open the run
            </WorkflowRunLink>
            <span className={styles.soft}>{describeReason(run)}</span>
            <TimeAt at={run.started_at ?? run.created_at} />
          </li>
        ))}
      </ul>
    </Card>
  );
}
