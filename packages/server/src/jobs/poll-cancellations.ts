import type { Db } from "../store/database/database.ts";
import {
  listCancellations,
  removeCompletedCancellations,
} from "../store/runs/run-cancellations.ts";
import {
  listRequestCancellations,
  type RequestCancellation,
  removeOldRequestCancellations,
} from "../store/servers/request-cancellations.ts";
import type { Job } from "./create-jobs.ts";

type CancelDeps = {
  db: Db;
  /** Stops a call that runs in this process. */
  cancel(runId: string, reason: string): boolean;
  /** Stops an MCP request that runs in this process. */
  cancelRequest(request: RequestCancellation): void;
  /** How often to look, beside the signals of other processes. */
  everyMs: number;
};

export const cancelJobName = "poll-cancellations";

/** Cancels calls of this process that were cancelled in another process. */
export function createCancelJob({ db, cancel, cancelRequest, everyMs }: CancelDeps): Job {
  let seen = new Set<string>();

  async function cancelRuns(): Promise<void> {
    const requested = await listCancellations(db);
    if (requested.length === 0) return;
    for (const { runId, reason } of requested) cancel(runId, reason);
    await removeCompletedCancellations(db);
  }

  async function cancelRequests(): Promise<void> {
    const requested = await listRequestCancellations(db);
    // Each once: its client may use the id of the request again.
    for (const request of requested) if (!seen.has(request.id)) cancelRequest(request);
    seen = new Set(requested.map(({ id }) => id));
    if (requested.length > 0) await removeOldRequestCancellations(db);
  }

  return {
    name: cancelJobName,
    everyMs,
    runsAtStart: false,
    async run() {
      await cancelRuns();
      await cancelRequests();
    },
  };
}
