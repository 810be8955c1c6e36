import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import { RunModeBadge } from "../../../workflow-parts/runs/run-mode-badge.tsx";
import { RunStateBadge } from "../../../workflow-parts/runs/run-state-badge.tsx";
import { CancelRunButton } from "../../workflows/runs/cancel-run-button.tsx";
import { describeReason } from "../../workflows/runs/describe-run.ts";
import styles from "./run.module.css";
import type { ShownRun } from "./use-shown-run.ts";

type Props = { shown: ShownRun; onGo: (id: string) => void; onClose: () => void };

/** The run that is shown on the draft: how it goes, and why it failed. */
export function RunBar({ shown: { run, isGoing }, onGo, onClose }: Props) {
  const { error } = run;
  return (
    <section className={styles.bar} aria-label="Run" data-bad={run.state === "failed" || undefined}>
      <span role="status">
        <RunModeBadge mode={run.mode} /> <RunStateBadge state={run.state} />
      </span>
      <span className={styles.reason}>{describeReason(run)}</span>
      {error?.node_id != null && (
        <Button size="compact-sm" variant="default" onClick={() => onGo(error.node_id ?? "")}>
          Show the failed step
        </Button>
      )}
      {isGoing && <CancelRunButton run={run} size="compact-xs" />}
      <Link to="/workflows/$workflow/runs/$run" params={{ workflow: run.workflow_id, run: run.id }}>
        Open the run
      </Link>
      <IconButton icon="close" label="Hide this run" onClick={onClose} />
    </section>
  );
}
