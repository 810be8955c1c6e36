import { useApi } from "../../api/use-api.ts";

const runningMs = 1000;

/** One call. A running one is read again until it has ended. */
export function useRun(id: string) {
  const input = { params: { run: id } };
  const run = useApi("GET /manager/api/runs/{run}", input);
  const isRunning = run.data?.status === "running";
  useApi("GET /manager/api/runs/{run}", input, { isOn: isRunning, everyMs: runningMs });
  return run;
}
