import type { Workflow } from "@hub/contract/workflow.ts";
import type { StateTone } from "../../ui/state-badge.tsx";

type Shown = Pick<Workflow, "enabled" | "version" | "draft" | "has_active_owner">;

/** The state of a workflow in a few words: whether it runs, and whether its draft differs. */
export function describeState(workflow: Shown): { tone: StateTone; text: string } {
  const { enabled, version, draft, has_active_owner: hasOwner } = workflow;
  if (!hasOwner) return { tone: "bad", text: "No active owner" };
  if (version === 0) return { tone: "off", text: "Draft" };
  if (!enabled) return { tone: "off", text: "Disabled" };
  if (draft !== null && !draft.is_published)
    return { tone: "good", text: "Published, draft differs" };
  return { tone: "good", text: "Published" };
}
