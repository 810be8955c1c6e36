import type { Workflow } from "@hub/contract/workflow.ts";
import type { StateTone } from "../../ui/badges/state-badge.tsx";

type Shown = Pick<Workflow, "enabled" | "version" | "has_active_owner">;

/** The state of a workflow in a few words. */
export function describeState(workflow: Shown): { tone: StateTone; text: string } {
  const { enabled, version, has_active_owner: hasOwner } = workflow;
  if (!hasOwner) return { tone: "bad", text: "No active owner" };
  if (version === 0) return { tone: "off", text: "Draft" };
  if (!enabled) return { tone: "off", text: "Disabled" };
  return { tone: "good", text: "Published" };
}
