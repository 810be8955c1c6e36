import type { PendingCall, PendingCallOutcome } from "@hub/contract/pending-call.ts";
import type { WorkflowApproval } from "@hub/contract/workflow-approval.ts";
import { usePages } from "../../../api/use-api.ts";
import { findShorter, mergeNewest } from "../../../workflow-parts/merge-newest.ts";
import type { ApprovalFilters } from "../approval-filters.ts";

const everyMs = 10_000;
const pageSize = 100;

/** Approvals of workflows and calls, newest first. `onMore` reads on where something is missing. */
export function useDecisions({ who, workflow, state }: ApprovalFilters, isDecided: boolean) {
  const wanted = isDecided ? state : ("pending" as const);
  const mine = who === undefined ? { mine: "true" as const } : {};
  const approvals = usePages(
    "GET /manager/api/approvals",
    {
      query: {
        limit: pageSize,
        ...mine,
        ...(wanted !== undefined && { state: wanted }),
        ...(isDecided && { decided: "true" as const }),
        ...(workflow !== undefined && { workflow }),
      },
    },
    "after",
    { everyMs },
  );
  const outcome = isDecided ? findOutcome(state) : undefined;
  // No call is of a workflow.
  const hasCalls = workflow === undefined;
  const calls = usePages(
    "GET /manager/api/pending-calls",
    {
      query: {
        limit: pageSize,
        ...mine,
        ...(isDecided ? { decided: "true" as const } : { state: "open" as const }),
        ...(outcome !== undefined && { outcome }),
      },
    },
    "after",
    { everyMs, isOn: hasCalls },
  );
  const isLoaded = approvals.data !== undefined && (calls.data !== undefined || !hasCalls);
  const one = {
    items: approvals.data?.pages.flatMap((page) => page.approvals) ?? [],
    isWhole: !approvals.hasNextPage,
  };
  const other = {
    items: hasCalls ? (calls.data?.pages.flatMap((page) => page.calls) ?? []) : [],
    isWhole: !hasCalls || !calls.hasNextPage,
  };
  const shorter = findShorter(one, other);
  const data: Array<WorkflowApproval | PendingCall> | undefined = isLoaded
    ? mergeNewest<WorkflowApproval, PendingCall>(one, other)
    : undefined;
  const onMore = shorter === "one" ? approvals.onMore : calls.onMore;
  return {
    approvals,
    calls,
    data,
    error: approvals.error ?? calls.error,
    refetch: () => void Promise.all([approvals.refetch(), hasCalls && calls.refetch()]),
    isFetching: approvals.isFetching || calls.isFetching,
    onMore: shorter === null ? undefined : onMore,
  };
}

/** What the outcome of an approval is for calls. */
function findOutcome(state: ApprovalFilters["state"]): PendingCallOutcome | undefined {
  if (state === undefined || state === "pending") return undefined;
  return state === "cancelled" ? "ended" : state;
}
