import type { Config } from "../config.ts";
import { idleMsMax } from "../identity/sessions.ts";
import type { TokenUses } from "../identity/token-uses.ts";
import { createCountJob } from "../jobs/count-runs.ts";
import { createJobs } from "../jobs/create-jobs.ts";
import { createTokenUseJob } from "../jobs/flush-token-uses.ts";
import { createMemoryJob, processMemory } from "../jobs/free-memory.ts";
import { createHeartbeatJob, createRecoveryJob, type Instance } from "../jobs/keep-instance.ts";
import { createCancelJob } from "../jobs/obey-cancellations.ts";
import { createOAuthPurgeJob } from "../jobs/purge-oauth.ts";
import { createPurgeJob } from "../jobs/purge-runs.ts";
import { createSessionPurgeJob } from "../jobs/purge-sessions.ts";
import type { Log } from "../lib/create-log.ts";
import type { Operations } from "../operations/operations.ts";
import type { Store } from "../store/open-store.ts";
import { listStoredSettings } from "../store/settings.ts";
import { toLiveSettings } from "../stored-settings.ts";

type JobParts = {
  store: Store;
  config: Config;
  log: Log;
  now: () => number;
  uses: TokenUses;
  operations: Pick<Operations, "cancel">;
};

/** Starts what a process does now and then; returns how to stop it. */
export function startJobs(parts: JobParts, instance: Instance) {
  const { store, config, log, now, uses, operations } = parts;
  const jobs = createJobs({
    onFailure: (job, err) => log.error({ job, err }, "a periodic job failed; it runs again later"),
  });
  const { db, instanceLocks: locks } = store;
  let isClosing = false;
  jobs.start(createHeartbeatJob({ db, now, locks }, instance));
  jobs.start(createCancelJob({ db, cancel: operations.cancel }));
  // One command is not there to keep house, but a call that it makes may be a long one.
  if (instance.kind === "cli") return () => jobs.stop();
  jobs.start(createRecoveryJob({ db, now, locks }, instance));
  jobs.start(createTokenUseJob({ db, uses }));
  jobs.start(createOAuthPurgeJob({ db, now }));
  jobs.start(createSessionPurgeJob({ db, now, idleMsMax }));
  jobs.start(createMemoryJob({ memory: processMemory }));
  jobs.start(createCountJob({ db, now, isClosing: () => isClosing }));
  jobs.start(
    createPurgeJob({
      db,
      now,
      readRetentionDays: async () =>
        toLiveSettings(config, await listStoredSettings(db)).auditRetentionDays,
      isClosing: () => isClosing,
    }),
  );
  return async () => {
    isClosing = true;
    await jobs.stop();
  };
}
