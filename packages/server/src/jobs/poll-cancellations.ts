import type { Db } from "../store/database.ts";
import { listCancellations, removeSettledCancellations } from "../store/run-cancellations.ts";
import type { Job } from "./create-jobs.ts";

type CancelDeps = {
  db: Db;
  /** Stops a call that runs in this process. */
  cancel(runId: string, reason: string): boolean;
};

/** Cancels calls of this process that were cancelled in another process. */
export function createCancelJob({ db, cancel }: CancelDeps): Job {
  return {
    name: "poll-cancellations",
    everyMs: 1_000,
    runsAtStart: false,
    async run() {
      const requested = await listCancellations(db);
      if (requested.length === 0) return;
      for (const { runId, reason } of requested) cancel(runId, reason);
      await removeSettledCancellations(db);
    },
  };
}
