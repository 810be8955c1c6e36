import { purgeExpiredOAuth } from "../store/oauth-artifacts.ts";
import { purgeOAuthClients } from "../store/oauth-clients.ts";
import type { Db } from "../store/tables.ts";
import type { Job } from "./create-jobs.ts";

const hourMs = 60 * 60 * 1000;
/** A client that registers goes on to a user at once; nobody comes back to it days later. */
const unusedMs = 24 * hourMs;
/** Longer than any of its tokens lives. */
const idleMs = 90 * 24 * hourMs;

/** Deletes codes and tokens that have expired, and clients that nobody uses. */
export function createOAuthPurgeJob({ db, now }: { db: Db; now: () => number }): Job {
  return {
    name: "purge-oauth",
    everyMs: hourMs,
    runsAtStart: true,
    async run() {
      await purgeExpiredOAuth(db, now());
      await purgeOAuthClients(db, { unusedSince: now() - unusedMs, idleSince: now() - idleMs });
    },
  };
}
