import { HubError } from "../../../errors.ts";
import { createFairQueue, type FairQueue } from "../../../lib/queues/fair-queue.ts";

/** A list of operations takes up to a hundred MiB until it is stored, so two at once are read. */
const atOnce = { total: 2, owner: 1 };
const waitingMax = { total: 1000, owner: 200 };

/** The discoveries of all rows. Round-robin between the users who ask for them. */
export function createDiscoveryQueue(): FairQueue {
  return createFairQueue({ atOnce, waiting: { max: waitingMax, refuse: toRefusal } });
}

function toRefusal(): HubError {
  return new HubError(
    "rate_limited",
    "Too many discoveries of operations are waiting. Try again in a minute.",
    { detail: { waiting_max: waitingMax.owner, retry_after_s: 60 } },
  );
}
