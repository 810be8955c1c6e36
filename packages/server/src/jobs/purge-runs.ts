import type { Db } from "../store/database/database.ts";
import { purgeRunBytes } from "../store/runs/run-bytes.ts";
import { purgeHeldBytes } from "../store/runs/run-holders.ts";
import { purgeRunHours } from "../store/runs/run-hours.ts";
import { type Purged, purgeRuns } from "../store/runs/runs-table.ts";
import type { Job } from "./create-jobs.ts";

const dayMs = 24 * 60 * 60 * 1000;
/** Small: a batch blocks the event loop and the write lock for about 3 ms, at any table size. */
export const batchSize = 100;
/** Pause between batches, as a multiple of a batch's duration. */
const pauseFactor = 2;

type PurgeDeps = {
  db: Db;
  now: () => number;
  /** The current setting. */
  readRetentionDays(): Promise<number>;
};

/** Deletes audit rows past their retention, at start and daily, in small batches. */
export function createPurgeJob(deps: PurgeDeps): Job {
  return {
    name: "purge-runs",
    everyMs: dayMs,
    runsAtStart: true,
    async run(isOver = () => false) {
      const endedBefore = deps.now() - (await deps.readRetentionDays()) * dayMs;
      await purgeInBatches(deps, endedBefore, isOver);
      await purgeRunHours(deps.db, { endedBefore });
      await purgeRunBytes(deps.db, { endedBefore });
      await purgeHeldBytes(deps.db, { endedBefore });
    },
  };
}

/** Deletes runs that ended before a time, oldest first; false if it is over before the end. */
export async function purgeInBatches(
  { db }: Pick<PurgeDeps, "db">,
  endedBefore: number,
  isOver: () => boolean,
): Promise<boolean> {
  let endedFrom: number | null = null;
  while (!isOver()) {
    // Monotonic: the shared clock may be corrected meanwhile, and the pause would be minutes.
    const startedAt = performance.now();
    const purged: Purged = await purgeRuns(db, { endedFrom, endedBefore, limit: batchSize });
    endedFrom = purged.endedAt;
    await pauseAfter(startedAt);
    if (purged.count < batchSize) return true;
  }
  return false;
}

/** Leaves most of the time to calls. */
export async function pauseAfter(startedAt: number): Promise<void> {
  await Bun.sleep(pauseFactor * (performance.now() - startedAt));
}
