import { useApi } from "../api/use-api.ts";

const everyMs = 30_000;
/** The menu shows no larger number. */
export const approvalsMax = 99;

/** The approvals that the user may decide now, newest first. The menu and the home page share one request. */
export function useMyApprovals(isOn = true) {
  const query = { may_decide: "true", limit: approvalsMax + 1 } as const;
  const { data } = useApi("GET /manager/api/approvals", { query }, { everyMs, isOn });
  return data?.approvals ?? [];
}
