import type { WorkflowStepEvent } from "@hub/contract/workflow-run.ts";
import { StateBadge, type StateTone } from "../../../ui/badges/state-badge.tsx";

const states: Record<WorkflowStepEvent["state"], { tone: StateTone; text: string }> = {
  running: { tone: "busy", text: "Running" },
  succeeded: { tone: "good", text: "Succeeded" },
  failed: { tone: "bad", text: "Failed" },
  skipped: { tone: "off", text: "Switched off" },
  waiting: { tone: "warn", text: "Waiting" },
  cancelled: { tone: "off", text: "Cancelled" },
  unknown: { tone: "warn", text: "Unknown" },
};

/** The state of a step, by colour and by word. Only nodes that are switched off have skipped steps. */
export function StepBadge({ state }: Pick<WorkflowStepEvent, "state">) {
  return <StateBadge {...states[state]} />;
}
