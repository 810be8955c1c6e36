import type { WorkflowRunState } from "@hub/contract/workflow-run.ts";
import { StateBadge, type StateTone } from "../../ui/badges/state-badge.tsx";
import { runStateNames } from "./run-states.ts";

const tones: Record<WorkflowRunState, StateTone> = {
  queued: "busy",
  running: "busy",
  waiting: "warn",
  succeeded: "good",
  failed: "bad",
  cancelled: "off",
  dropped: "warn",
  unknown: "warn",
};

/** The state of a run of a workflow, by colour and by word. */
export function RunStateBadge({ state }: { state: WorkflowRunState }) {
  return <StateBadge tone={tones[state]} text={runStateNames[state]} />;
}
