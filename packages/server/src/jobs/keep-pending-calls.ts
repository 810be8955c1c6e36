import { yieldToEventLoop } from "../lib/time/yield-to-event-loop.ts";
import type { Db } from "../store/database/database.ts";
import {
  endForbiddenCalls,
  expirePendingCalls,
  markUnknownCalls,
  purgePendingCalls,
  purgePendingParts,
} from "../store/pending/end-pending-calls.ts";
import type { Job } from "./create-jobs.ts";

type Deps = { db: Db; now(): number };

const resultMs = 24 * 60 * 60 * 1000;
/** Deleted at once. */
const batch = 500;

/** Ends the calls that wait and may not any more, and those whose process died. */
export function createPendingJob({
  db,
  now,
  localUserId,
}: Deps & { /** Who has no entry among the users. */ localUserId: string }): Job {
  return {
    name: "end-pending-calls",
    everyMs: 5_000,
    runsAtStart: true,
    async run() {
      await expirePendingCalls(db, now());
      await markUnknownCalls(db, now());
      await endForbiddenCalls(db, { localUserId, at: now() });
    },
  };
}

/** Deletes what pending calls have stored, once it answers nothing. */
export function createPendingPurgeJob({ db, now }: Deps): Job {
  return {
    name: "purge-pending-calls",
    everyMs: 60 * 60 * 1000,
    runsAtStart: true,
    async run(isOver = () => false) {
      const at = now();
      await purgePendingParts(db, { at, resultMs });
      while (!isOver()) {
        if ((await purgePendingCalls(db, { at, limit: batch })) < batch) return;
        await yieldToEventLoop();
      }
    },
  };
}
