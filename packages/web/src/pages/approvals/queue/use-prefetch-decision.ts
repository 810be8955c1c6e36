import { useApi } from "../../../api/use-api.ts";
import type { DecisionKey } from "../../../workflow-parts/use-my-approvals.ts";

/** Reads what opens next, so that it is there when one goes on to it. */
export function usePrefetchDecision(next: DecisionKey | null): void {
  const id = next?.id ?? "";
  useApi(
    "GET /manager/api/approvals/{approval}",
    { params: { approval: id } },
    { isOn: next?.kind === "approval" },
  );
  useApi(
    "GET /manager/api/pending-calls/{call}",
    { params: { call: id } },
    { isOn: next?.kind === "call" },
  );
}
