import type { Db } from "../store/database/database.ts";
import { purgeDeliveries, purgeWorkflowRuns } from "../store/workflow-runs/purge-old-runs.ts";
import { purgeWebhookRequests } from "../store/workflows/webhook-requests.ts";
import { deleteUnusedPins } from "../store/workflows/workflow-pins.ts";
import type { Job } from "./create-jobs.ts";

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;
/** Small: events and outputs are up to 10 MiB each. */
const runsMax = 20;
const stepsMax = 50;
const deliveriesMax = 200;
const requestsMax = 200;
/** Pause between batches, as a multiple of a batch's duration. */
const pauseFactor = 2;

type PurgeDeps = {
  db: Db;
  now: () => number;
  /** The current setting. */
  readRetentionDays(): Promise<number>;
};

/**
 * Deletes runs of workflows past their retention, with their steps, the requests to webhooks of that time,
 * and the deliveries of which no second one is expected any more. At start and hourly, in small batches. Pins that
 * no test can use go, too.
 */
export function createWorkflowPurgeJob({ db, now, readRetentionDays }: PurgeDeps): Job {
  return {
    name: "purge-workflow-runs",
    everyMs: hourMs,
    runsAtStart: true,
    async run(isOver = () => false) {
      await deleteUnusedPins(db);
      const receivedBefore = now() - dayMs;
      await inBatches(isOver, async () => {
        const purged = await purgeDeliveries(db, { receivedBefore, limit: deliveriesMax });
        return purged === deliveriesMax;
      });
      const before = now() - (await readRetentionDays()) * dayMs;
      await inBatches(isOver, async () => {
        const purged = await purgeWebhookRequests(db, { before, limit: requestsMax });
        return purged === requestsMax;
      });
      let endedFrom: number | null = null;
      await inBatches(isOver, async () => {
        const bounds = { endedFrom, endedBefore: before, runsMax, stepsMax };
        const purged = await purgeWorkflowRuns(db, bounds);
        endedFrom = purged?.endedAt ?? null;
        return purged !== null;
      });
    },
  };
}

/** Calls `purge` until it returns false, and leaves most of the time to runs. */
async function inBatches(isOver: () => boolean, purge: () => Promise<boolean>): Promise<void> {
  for (let isMore = true; isMore && !isOver(); ) {
    // Monotonic: the shared clock may be corrected meanwhile, and the pause would be minutes.
    const startedAt = performance.now();
    isMore = await purge();
    await Bun.sleep(pauseFactor * (performance.now() - startedAt));
  }
}
