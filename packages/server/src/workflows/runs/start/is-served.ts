import { listLiveInstances } from "../../../store/servers/running-servers.ts";
import type { RunVerbDeps } from "../run-verb-deps.ts";

/** Whether a server works on runs. Without one they wait in the queue. */
export async function isServed({
  store,
  now,
  openWorkflows,
}: RunVerbDeps & { now(): number }): Promise<boolean> {
  const { cron } = await openWorkflows();
  // Only a server has cron triggers, and this process is not in the list.
  if (cron !== null) return true;
  return (await listLiveInstances(store, now())).some(({ kind }) => kind === "serve");
}

/** For outcomes of runs that were started while no server works on them. */
export const queuedNote =
  "No server of this hub is running. The run is queued and begins when one starts.";
