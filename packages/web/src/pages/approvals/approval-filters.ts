import type { WorkflowApprovalState } from "@hub/contract/workflow-approval.ts";
import type { StateTone } from "../../ui/badges/state-badge.tsx";
import { readTextFilters } from "../../ui/tables/text-filters.ts";

/** The states of approvals in words. */
export const approvalStateNames: Readonly<Record<WorkflowApprovalState, string>> = {
  pending: "Waiting",
  approved: "Approved",
  denied: "Denied",
  expired: "Expired",
  cancelled: "Run ended",
};

/** Their colours. */
export const approvalTones: Readonly<Record<WorkflowApprovalState, StateTone>> = {
  pending: "warn",
  approved: "good",
  denied: "bad",
  expired: "off",
  cancelled: "off",
};

/** The filters of the list of approvals, as they stand in its address. */
export type ApprovalFilters = {
  tab?: "decided" | "permits";
  state?: WorkflowApprovalState;
  /** Without it, only those of which the user is an approver. */
  who?: "all";
  workflow?: string;
};

export function readApprovalFilters(search: Record<string, unknown>): ApprovalFilters {
  const { state } = search;
  const isState = typeof state === "string" && Object.hasOwn(approvalStateNames, state);
  return {
    ...((search.tab === "decided" || search.tab === "permits") && { tab: search.tab }),
    // Its names are the states.
    ...(isState && { state: state as WorkflowApprovalState }),
    ...(search.who === "all" && { who: "all" }),
    ...readTextFilters(search, ["workflow"]),
  };
}
