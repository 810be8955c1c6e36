import { describePendingCall } from "@hub/contract/describe-approval.ts";
import type { WaitingDecision } from "@hub/contract/pending-call.ts";
import type { Caller } from "../../caller.ts";
import { listApprovals } from "../../workflows/approvals/list-approvals.ts";
import { listPendingCalls, type ReadPendingDeps } from "./list-pending-calls.ts";

const shownMax = 100;

/** What the caller may decide now: approvals of workflows and calls, newest first, at most 100. */
export async function listWaitingDecisions(
  deps: ReadPendingDeps,
  caller: Caller,
): Promise<WaitingDecision[]> {
  const given = { isDecidable: true, limit: shownMax };
  const approvals = await listApprovals(deps, caller, given);
  const calls = await listPendingCalls(deps, caller, given);
  const all: WaitingDecision[] = [
    ...approvals.items.map((one) => ({
      kind: "approval" as const,
      id: one.id,
      title: one.title,
      workflow_id: one.workflow_id,
      run_id: one.run_id,
      created_at: one.created_at,
    })),
    ...calls.items.map((call) => ({
      kind: "call" as const,
      id: call.id,
      title: describePendingCall(call),
      workflow_id: null,
      run_id: null,
      created_at: call.created_at,
    })),
  ];
  return all.sort(compareNewest).slice(0, shownMax);
}

function compareNewest(one: WaitingDecision, other: WaitingDecision): number {
  const [first, second] = [one, other].map(({ created_at: at, id }) => `${at} ${id}`);
  return `${first}` > `${second}` ? -1 : 1;
}
