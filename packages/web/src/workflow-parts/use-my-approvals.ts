import { useApi } from "../api/use-api.ts";
import { mergeNewest } from "./merge-newest.ts";

const everyMs = 30_000;
/** The menu shows no larger number. */
export const approvalsMax = 99;

/** The approvals of workflows that the user may decide now, newest first. The menu and the home page share one request. */
export function useMyApprovals(isOn = true) {
  const query = { may_decide: "true", limit: approvalsMax + 1 } as const;
  const { data } = useApi("GET /manager/api/approvals", { query }, { everyMs, isOn });
  return data?.approvals ?? [];
}

/** What waits for a decision: an approval of a workflow, or a call. */
export type DecisionKey = { kind: "approval" | "call"; id: string };

/** All that the user may decide now, newest first. */
export function useMyDecisions(): DecisionKey[] {
  const approvals = useMyApprovals();
  const query = { decidable: "true", limit: approvalsMax + 1 } as const;
  const { data } = useApi("GET /manager/api/pending-calls", { query }, { everyMs });
  const all = mergeNewest(
    { items: approvals, isWhole: true },
    { items: data?.calls ?? [], isWhole: true },
  );
  return all.map((one) => ({ kind: "workflow_id" in one ? "approval" : "call", id: one.id }));
}
