import type { WorkflowApprovalState } from "@hub/contract/workflow-approval.ts";
import { StateBadge } from "../../ui/badges/state-badge.tsx";
import { approvalStateNames, approvalTones } from "./approval-filters.ts";

/** The state of an approval, by colour and by word. */
export function ApprovalState({ state }: { state: WorkflowApprovalState }) {
  return <StateBadge tone={approvalTones[state]} text={approvalStateNames[state]} />;
}
