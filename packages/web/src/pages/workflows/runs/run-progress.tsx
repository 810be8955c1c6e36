import type { WorkflowDetail } from "@hub/contract/workflow.ts";
import type { WorkflowRunDetail, WorkflowStepEvent } from "@hub/contract/workflow-run.ts";
import { Alert, Button, Group } from "@mantine/core";
import { useState } from "react";
import { useApi } from "../../../api/use-api.ts";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import { JsonTree } from "../../../ui/json/json-tree.tsx";
import { Card } from "../../../ui/page/card.tsx";
import { Loaded } from "../../../ui/page/loaded.tsx";
import { PageSkeleton } from "../../../ui/page/page-skeleton.tsx";
import { formatDuration, formatNumber } from "../../../ui/text/format.ts";
import { WorkflowRunLink } from "../../../workflow-parts/runs/run-link.tsx";
import { RunModeBadge } from "../../../workflow-parts/runs/run-mode-badge.tsx";
import { RunStateBadge } from "../../../workflow-parts/runs/run-state-badge.tsx";
import { isActive } from "../../../workflow-parts/runs/run-states.ts";
import { useRunEvents } from "../../../workflow-parts/runs/use-run-events.ts";
import styles from "../workflows.module.css";
import { CancelRunButton } from "./cancel-run-button.tsx";
import { describeReason } from "./describe-run.ts";
import { StepBadge } from "./step-badge.tsx";

type Props = {
  workflow: WorkflowDetail;
  run: string;
  onReplay: (run: WorkflowRunDetail) => void;
  onClose: () => void;
};

/** Where events do not arrive, such as behind a proxy that holds them back. */
const everyMs = 5_000;

/** A run that was started here, as it goes. */
export function RunProgress({ workflow, run: id, onReplay, onClose }: Props) {
  const address = { workflow: workflow.id, run: id };
  const [isWatched, setWatched] = useState(true);
  const run = useApi(
    "GET /manager/api/workflows/{workflow}/runs/{run}",
    { params: address },
    isWatched ? { everyMs } : {},
  );
  const isGoing = run.data === undefined ? run.error === null : isActive(run.data);
  if (isWatched !== isGoing) setWatched(isGoing);
  const live = useRunEvents(isGoing ? address : null);
  return (
    <Card
      title={live.ended === null && isGoing ? "This run goes on" : "The run has ended"}
      actions={<IconButton icon="close" label="Close this run" onClick={onClose} />}
    >
      <Loaded of={run} what="The run" skeleton={<PageSkeleton lines={2} />}>
        {(found) => (
          <Progress
            workflow={workflow}
            run={{ ...found, ...live.ended }}
            steps={live.steps.length > 0 ? live.steps : (found.steps ?? [])}
            onReplay={onReplay}
          />
        )}
      </Loaded>
    </Card>
  );
}

type ProgressProps = Pick<Props, "workflow" | "onReplay"> & {
  run: WorkflowRunDetail;
  steps: readonly WorkflowStepEvent[];
};

const stepsShown = 50;

function Progress({ workflow, run, steps, onReplay }: ProgressProps) {
  const reason = describeReason(run);
  const nodes = steps.filter(({ item }) => item === null);
  const output = run.steps?.findLast(({ state, item }) => state === "succeeded" && item === null);
  return (
    <>
      <Group gap="md" mb="sm" role="status">
        <RunModeBadge mode={run.mode} />
        <RunStateBadge state={run.state} />
        <WorkflowRunLink workflow={workflow.id} run={run.id}>
          Open the run
        </WorkflowRunLink>
        {isActive(run) && workflow.may_start && <CancelRunButton run={run} size="xs" />}
        {!isActive(run) && workflow.access === "manage" && run.state !== "dropped" && (
          <Button size="xs" variant="default" onClick={() => onReplay(run)}>
            Replay
          </Button>
        )}
      </Group>
      {reason !== "" && (
        <Alert color={run.state === "failed" ? "red" : "yellow"} mb="sm">
          {reason}
        </Alert>
      )}
      {nodes.length > 0 && (
        <ol className={styles.steps} aria-label="Steps">
          {nodes.slice(-stepsShown).map((step) => (
            <li key={step.node_id}>
              <StepBadge state={step.state} />
              <code>{step.node_id}</code>
              <span className={styles.when}>
                {step.error?.message ?? step.case ?? ""}
                {step.tries > 1 && ` (${formatNumber(step.tries)} tries)`}
              </span>
              <span className={styles.took}>
                {step.started_at !== null &&
                  step.ended_at !== null &&
                  formatDuration(Date.parse(step.ended_at) - Date.parse(step.started_at))}
              </span>
            </li>
          ))}
        </ol>
      )}
      {run.state === "succeeded" && output !== undefined && output.output !== null && (
        <JsonTree value={output.output} label="Last output" />
      )}
    </>
  );
}
