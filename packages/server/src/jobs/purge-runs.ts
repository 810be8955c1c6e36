import { purgeRunBytes } from "../store/run-bytes.ts";
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
      await purgeInBatches(deps, endedBefore);
      await purgeRunHours(deps.db, { endedBefore });
      await purgeRunBytes(deps.db, { endedBefore });
    },
  };
}

/** Deletes runs that ended before a time, oldest first; false where the hub closes before all are gone. */
export async function purgeInBatches(
  { db, now, isClosing }: Pick<PurgeDeps, "db" | "now" | "isClosing">,
  endedBefore: number,
): Promise<boolean> {
  while (!isClosing()) {
    const startedAt = now();
    const purged = await purgeRuns(db, { endedBefore, limit: batchSize });
    // Leaves most of the time between two batches to calls.
    await Bun.sleep(pauseFactor * Math.max(0, now() - startedAt));
    if (purged < batchSize) return true;
  }
  return false;
}
