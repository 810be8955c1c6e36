import { useApi } from "../../api/use-api.ts";

const runningMs = 1000;

/** One call. A running one is read again until it has ended. */
export function useRun(id: string) {
  return useApi(
    "GET /manager/api/runs/{run}",
    { params: { run: id } },
    { everyMs: (run) => (run?.status === "running" ? runningMs : undefined) },
  );
}
