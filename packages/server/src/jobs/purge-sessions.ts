import { purgeSessions } from "../store/sessions.ts";
import type { Db } from "../store/tables.ts";
import type { Job } from "./create-jobs.ts";

type SessionPurgeDeps = {
  db: Db;
  now: () => number;
  /** A session ends when it is not used for so long. */
  idleMsMax: number;
};

const hourMs = 60 * 60 * 1000;

/** Deletes sessions that are over, with the addresses that they came from. */
export function createSessionPurgeJob({ db, now, idleMsMax }: SessionPurgeDeps): Job {
  return {
    name: "purge-sessions",
    everyMs: hourMs,
    runsAtStart: true,
    run: () => purgeSessions(db, { expiredBefore: now(), idleSince: now() - idleMsMax }),
  };
}
