import type { Db } from "../store/database.ts";
import { purgeRunBytes } from "../store/run-bytes.ts";
import { purgeRunHours } from "../store/run-hours.ts";
import { purgeRuns } from "../store/runs.ts";
import type { Job } from "./create-jobs.ts";

const dayMs = 24 * 60 * 60 * 1000;
/** Small: a batch blocks the event loop and the write lock for about 3 ms, at any table size. */
const batchSize = 100;
/** Pause between batches, as a multiple of a batch's duration. */
const pauseFactor = 2;

type PurgeDeps = {
  db: Db;
  now: () => number;
  /** The current setting. */
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

/** Deletes runs that ended before a time, oldest first; false if the hub closes before the end. */
export async function purgeInBatches(
  { db, now, isClosing }: Pick<PurgeDeps, "db" | "now" | "isClosing">,
  endedBefore: number,
): Promise<boolean> {
  while (!isClosing()) {
    const startedAt = now();
    const purged = await purgeRuns(db, { endedBefore, limit: batchSize });
    // Leaves most of the time to calls.
    await Bun.sleep(pauseFactor * Math.max(0, now() - startedAt));
    if (purged < batchSize) return true;
  }
  return false;
}
