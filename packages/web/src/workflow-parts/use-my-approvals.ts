import type { WaitingDecision } from "@hub/contract/pending-call.ts";
import { useApi } from "../api/use-api.ts";

const everyMs = 30_000;
/** The menu shows no larger number. */
export const approvalsMax = 99;

/** What waits for a decision: an approval of a workflow, or a call. */
export type DecisionKey = Pick<WaitingDecision, "kind" | "id">;

/** All that the user may decide now, newest first. The menu and the pages share one request. */
export function useMyDecisions(): readonly WaitingDecision[] {
  const { data } = useApi("GET /manager/api/waiting-decisions", {}, { everyMs });
  return data?.decisions ?? [];
}
