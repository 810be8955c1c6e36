import type { WorkflowDetail } from "@hub/contract/workflow.ts";
import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { TimeAgo } from "../../../ui/text/time-ago.tsx";
import { WorkflowRunLink } from "../../../workflow-parts/runs/run-link.tsx";
import { RunModeBadge } from "../../../workflow-parts/runs/run-mode-badge.tsx";
import { RunStateBadge } from "../../../workflow-parts/runs/run-state-badge.tsx";
import { CancelRunButton } from "../../workflows/runs/cancel-run-button.tsx";
import { describeReason } from "../../workflows/runs/describe-run.ts";
import styles from "../editor/editor.module.css";
import look from "./run.module.css";
import type { ShownRun } from "./use-shown-run.ts";
import { waitsForPerson } from "./use-shown-run.ts";

type Props = {
  workflow: WorkflowDetail;
  shown: ShownRun;
  /** The selected node. */
  node: string | undefined;
  onResume: () => void;
  onReplay: () => void;
};

/** Which run it is, how it ended, and what can be done with it. */
export function RunHeader({ workflow, shown, node, onResume, onReplay }: Props) {
  const { run, isGoing } = shown;
  const isManaged = workflow.access === "manage";
  const isWaiting = waitsForPerson(shown);
  const mayResume = run.state === "failed" && run.mode === "live" && run.resumed_by_run_id === null;
  const reason = describeReason(run);
  return (
    <>
      <header className={styles.bar}>
        <div className={styles.titles}>
          <h1 className={styles.title}>
            {"Run of "}
            <Link to="/workflows/$workflow" params={{ workflow: workflow.id }}>
              {workflow.name}
            </Link>
          </h1>
          <span role="status">
            <RunModeBadge mode={run.mode} /> <RunStateBadge state={run.state} />
          </span>
          <span className={styles.saved}>
            {run.version === null ? "The draft of that time" : `Version ${run.version}`}
            {" · "}
            <TimeAgo at={run.created_at} />
            {run.started_by !== null && ` · started by ${run.started_by}`}
          </span>
        </div>
        <div className={styles.actions}>
          {isManaged && (isWaiting || mayResume) && (
            <Button {...(!isWaiting && { variant: "default" })} onClick={onResume}>
              {isWaiting ? "Decide" : "Resume"}
            </Button>
          )}
          {isGoing && <CancelRunButton run={run} size="xs" />}
          {!isGoing && run.state !== "dropped" && isManaged && (
            <Button variant="default" onClick={onReplay}>
              Replay
            </Button>
          )}
          {isManaged && (
            <Button
              variant="default"
              renderRoot={(props) => (
                <Link
                  {...props}
                  to="/workflows/$workflow/edit"
                  params={{ workflow: workflow.id }}
                  search={{ run: run.id, ...(node !== undefined && { node }) }}
                />
              )}
            >
              Edit the draft
            </Button>
          )}
        </div>
      </header>
      {reason !== "" && (
        <div className={look.bar} data-bad={run.state === "failed" || undefined}>
          <span className={look.reason}>{reason}</span>
          {run.resumed_by_run_id !== null && (
            <WorkflowRunLink workflow={workflow.id} run={run.resumed_by_run_id}>
              The run that resumes it
            </WorkflowRunLink>
          )}
        </div>
      )}
    </>
  );
}
