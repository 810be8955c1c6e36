import { HubError } from "../errors.ts";
import { createFairQueue } from "../lib/queues/fair-queue.ts";
import type { LimitName } from "../lib/queues/fair-semaphore.ts";
import type { QueueKey } from "../lib/queues/semaphore-lanes.ts";
import type { Timers } from "../lib/time/timers.ts";

/** Where a password comes from. Each lane has limits of its own. */
export type HashQueueKey = QueueKey & {
  /**
   * `strangers`: a browser that is not known, with its network as the owner. `known`: a known browser
   * or a session, with the account as the owner. `admins`: passwords for others, and the hub itself.
   */
  lane: "strangers" | "known" | "admins";
};

/** Runs one password hash at a time. */
export type HashQueue = {
  /** Throws `rate_limited` if too many others wait. */
  run<T>(queueKey: HashQueueKey, hash: () => Promise<T>): Promise<T>;
  /** Throws what `run` would throw now, if too many others wait. */
  checkCapacity(queueKey: HashQueueKey): void;
};

type QueueDeps = {
  timers: Timers;
  /** Processor time of this process without its main thread, in ms. */
  readProcessorMs?: () => number;
};

/**
 * A hash keeps a core busy for about 20 ms. While others wait, a pause of this many times its
 * processor time follows each hash, so that a flood of sign-ins uses a quarter of a core.
 */
const pausePerHash = 3;
/** Other threads use processor time too. */
const pauseMsMax = 200;
/** Above these limits, others are refused or replaced, so that those who wait do not wait too long. */
const waitingMax = { lane: 50, owner: 10 };

export function createHashQueue(deps: QueueDeps): HashQueue {
  const { timers, readProcessorMs = readOtherThreadsMs } = deps;
  const queue = createFairQueue({
    atOnce: { total: 1 },
    waiting: { max: waitingMax, refuse: toRefusal },
  });

  return {
    checkCapacity: queue.checkCapacity,
    /** A client that disconnects stays in the queue. Otherwise each new request would cost two writes and no wait. */
    async run(queueKey, hash) {
      const release = await queue.enter(queueKey);
      const [startedAt, before] = [timers.now(), readProcessorMs()];
      try {
        return await hash();
      } finally {
        if (queue.countWaiting() === 0) release();
        else {
          const usedMs = Math.min(readProcessorMs() - before, timers.now() - startedAt);
          // The queue stays busy during the pause, so that no new request overtakes.
          timers.after(Math.min(usedMs * pausePerHash, pauseMsMax), release);
        }
      }
    },
  };
}

/** Hashes are computed outside the main thread. The wall time would be longer on a busy machine. */
function readOtherThreadsMs(): number {
  const [all, main] = [process.cpuUsage(), process.threadCpuUsage()];
  return (all.user + all.system - main.user - main.system) / 1000;
}

function toRefusal(limit: LimitName): HubError {
  if (limit === "owner") {
    return new HubError(
      "rate_limited",
      "Too many sign-ins from your network or to your account are waiting. Try again in a few seconds.",
      { detail: { retry_after_s: 5 } },
    );
  }
  return new HubError(
    "rate_limited",
    "Too many users are signing in right now. Try again in a minute.",
    { detail: { retry_after_s: 60 } },
  );
}
