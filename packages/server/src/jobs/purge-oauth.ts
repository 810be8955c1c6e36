import type { Db } from "../store/database/database.ts";
import { purgeExpiredOAuth } from "../store/oauth/oauth-artifacts.ts";
import { purgeOAuthClients } from "../store/oauth/oauth-clients.ts";
import type { Job } from "./create-jobs.ts";

const hourMs = 60 * 60 * 1000;
/** A client starts the authorization right after its registration. */
const unusedMs = 24 * hourMs;
/** Longer than the lifetime of its tokens. */
const idleMs = 90 * 24 * hourMs;

/** Deletes expired codes and tokens, and unused clients. */
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
