import type { Workflow } from "@hub/contract/workflow.ts";
import { Badge } from "../../ui/badges/badge.tsx";
import { StateBadge } from "../../ui/badges/state-badge.tsx";
import { describeState } from "./describe-state.ts";
import styles from "./workflows.module.css";

/** Whether a workflow runs, and whether its draft differs from what runs. */
export function WorkflowState({ workflow }: { workflow: Workflow }) {
  const { version, draft } = workflow;
  return (
    <span className={styles.badges}>
      <StateBadge {...describeState(workflow)} />
      {version > 0 && draft?.is_published === false && <Badge>Draft differs</Badge>}
    </span>
  );
}
