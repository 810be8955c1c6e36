import type { Db } from "../store/database/database.ts";
import { purgeSessions } from "../store/users/sessions-table.ts";
import { purgeTokenIds } from "../store/users/used-token-ids.ts";
import type { Job } from "./create-jobs.ts";

type SessionPurgeDeps = {
  db: Db;
  now: () => number;
  /** A session ends after this time without use. */
  idleMsMax: number;
};

const hourMs = 60 * 60 * 1000;

/** Deletes expired and ended sessions with their IP addresses, and the ids of expired tokens from outside. */
export function createSessionPurgeJob({ db, now, idleMsMax }: SessionPurgeDeps): Job {
  return {
    name: "purge-sessions",
    everyMs: hourMs,
    runsAtStart: true,
    run: async () => {
      const at = now();
      await purgeSessions(db, { expiredBefore: at, idleSince: at - idleMsMax });
      await purgeTokenIds(db, at);
    },
  };
}
