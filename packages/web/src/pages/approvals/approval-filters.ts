import type { WorkflowApprovalState } from "@hub/contract/workflow-approval.ts";
import { readTextFilters } from "../../ui/tables/text-filters.ts";

/** The states of approvals in words. */
export const approvalStateNames: Readonly<Record<WorkflowApprovalState, string>> = {
  pending: "Waiting",
  approved: "Approved",
  denied: "Denied",
  expired: "Expired",
  cancelled: "Run ended",
};

/** The filters of the list of approvals, as they stand in its address. */
export type ApprovalFilters = {
  tab?: "decided";
  state?: WorkflowApprovalState;
  /** Without it, only those of which the user is an approver. */
  who?: "all";
  workflow?: string;
};

export function readApprovalFilters(search: Record<string, unknown>): ApprovalFilters {
  const { state } = search;
  const isState = typeof state === "string" && Object.hasOwn(approvalStateNames, state);
  return {
    ...(search.tab === "decided" && { tab: "decided" }),
    // Its names are the states.
    ...(isState && { state: state as WorkflowApprovalState }),
    ...(search.who === "all" && { who: "all" }),
    ...readTextFilters(search, ["workflow"]),
  };
}
