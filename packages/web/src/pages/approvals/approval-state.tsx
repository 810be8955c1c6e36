import type { WorkflowApprovalState } from "@hub/contract/workflow-approval.ts";
import { StateBadge, type StateTone } from "../../ui/badges/state-badge.tsx";
import { approvalStateNames } from "./approval-filters.ts";

const tones: Readonly<Record<WorkflowApprovalState, StateTone>> = {
  pending: "warn",
  approved: "good",
  denied: "bad",
  expired: "off",
  cancelled: "off",
};

/** The state of an approval, by colour and by word. */
export function ApprovalState({ state }: { state: WorkflowApprovalState }) {
  return <StateBadge tone={tones[state]} text={approvalStateNames[state]} />;
}
