import { idleMsMax } from "../identity/sessions.ts";
import { purgeSessions } from "../store/sessions.ts";
import type { Db } from "../store/tables.ts";
import type { Job } from "./create-jobs.ts";

const hourMs = 60 * 60 * 1000;

/** Deletes sessions that are over, with the addresses that they came from. */
export function createSessionPurgeJob({ db, now }: { db: Db; now: () => number }): Job {
  return {
    name: "purge-sessions",
    everyMs: hourMs,
    runsAtStart: true,
    run: () => purgeSessions(db, { expiredBefore: now(), idleSince: now() - idleMsMax }),
  };
}
