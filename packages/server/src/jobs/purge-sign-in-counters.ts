import type { Db } from "../store/database/database.ts";
import { purgeSignInCounters } from "../store/users/sign-in-counters.ts";
import type { Job } from "./create-jobs.ts";

const quarterHourMs = 15 * 60_000;

/** Deletes expired counters of wrong passwords. */
export function createSignInPurgeJob({ db, now }: { db: Db; now: () => number }): Job {
  return {
    name: "purge-sign-in-counters",
    everyMs: quarterHourMs,
    runsAtStart: true,
    run: () => purgeSignInCounters(db, now()),
  };
}
