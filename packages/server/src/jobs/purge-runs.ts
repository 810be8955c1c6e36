import { purgeRunHours } from "../store/run-hours.ts";
import { purgeRuns } from "../store/runs.ts";
import type { Db } from "../store/tables.ts";
import type { Job } from "./create-jobs.ts";

const dayMs = 24 * 60 * 60 * 1000;
/** Small: the event loop and the write lock are held for about 3 ms a batch, at any table size. */
const batchSize = 100;
/** It rests so many times as long as a batch took. */
const pauseFactor = 2;

type PurgeDeps = {
  db: Db;
  now: () => number;
  /** As it is when the job runs. */
  readRetentionDays(): Promise<number>;
  isClosing: () => boolean;
};

/** Deletes audit rows past their retention, at start and daily, in small batches. */
export function createPurgeJob(deps: PurgeDeps): Job {
  return {
    name: "purge-runs",
    everyMs: dayMs,
    runsAtStart: true,
    async run() {
      const endedBefore = deps.now() - (await deps.readRetentionDays()) * dayMs;
      let purged = batchSize;
      while (purged === batchSize && !deps.isClosing()) {
        const startedAt = deps.now();
        purged = await purgeRuns(deps.db, { endedBefore, limit: batchSize });
        // Leaves most of the time between two batches to calls.
        await Bun.sleep(pauseFactor * Math.max(0, deps.now() - startedAt));
      }
      await purgeRunHours(deps.db, { endedBefore });
    },
  };
}
