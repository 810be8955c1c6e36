import type { PendingCall } from "../../store/pending/pending-call-record.ts";
import { findWorkflowRunId } from "../../store/pending/workflow-principal.ts";
import { pendingLimits } from "./pending-limits.ts";

/**
 * Until when an approval may be used, in milliseconds. A client repeats its call soon. The run of a workflow uses it by itself,
 * but may have to end other items of the node first, so its approval holds at least as long as the question would have been open.
 */
export function toApprovedUntil(
  call: Pick<PendingCall, "principal" | "expiresAt">,
  at: number,
): number {
  const until = at + pendingLimits.approvedMs;
  return findWorkflowRunId(call) === null ? until : Math.max(until, call.expiresAt);
}
