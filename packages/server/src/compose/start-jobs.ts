import type { Config } from "../config.ts";
import { idleMsMax } from "../identity/sessions.ts";
import type { TokenUses } from "../identity/token-uses.ts";
import { createDiskJob } from "../jobs/check-disk.ts";
import { createCountJob } from "../jobs/count-runs.ts";
import { createJobs, type Job } from "../jobs/create-jobs.ts";
import { createTokenUseJob } from "../jobs/flush-token-uses.ts";
import { createMemoryJob, processMemory } from "../jobs/free-memory.ts";
import { createHeartbeatJob, createRecoveryJob, type Instance } from "../jobs/keep-instance.ts";
import { createBytesLimitJob } from "../jobs/limit-run-bytes.ts";
import { createCancelJob } from "../jobs/poll-cancellations.ts";
import { createSearchJob } from "../jobs/prepare-search.ts";
import { createEmbeddingPurgeJob } from "../jobs/purge-embeddings.ts";
import { createOAuthPurgeJob } from "../jobs/purge-oauth.ts";
import { createPurgeJob } from "../jobs/purge-runs.ts";
import { createSessionPurgeJob } from "../jobs/purge-sessions.ts";
import { createSignInPurgeJob } from "../jobs/purge-sign-in-counters.ts";
import type { Log } from "../lib/create-log.ts";
import type { Operations } from "../operations/operations.ts";
import { listStoredSettings } from "../store/settings.ts";
import type { Store } from "../store/store.ts";
import { toLiveSettings } from "../stored-settings.ts";

type JobParts = {
  store: Store;
  config: Config;
  log: Log;
  now: () => number;
  uses: TokenUses;
  operations: Pick<Operations, "cancel" | "prepareSearch">;
};

/** Starts the periodic jobs of a process; returns a function that stops them. */
export function startJobs(parts: JobParts, instance: Instance) {
  const { log } = parts;
  const jobs = createJobs({
    onFailure: (job, err) => log.error({ job, err }, "A periodic job failed; it runs again later"),
  });
  let isClosing = false;
  for (const job of listJobs(parts, instance, () => isClosing)) jobs.start(job);
  return async () => {
    isClosing = true;
    await jobs.stop();
  };
}

/** The periodic jobs of a process of this kind. */
export function listJobs(
  { store, config, log, now, uses, operations }: JobParts,
  instance: Instance,
  isClosing: () => boolean,
): Job[] {
  const { db, instanceLocks: locks } = store;
  const duringCalls = [
    createHeartbeatJob({ db, now, locks }, instance),
    createCancelJob({ db, cancel: operations.cancel }),
  ];
  // A command does no maintenance, but its call may be long and must be cancellable.
  if (instance.kind === "cli") return duringCalls;
  const readSettings = async () => toLiveSettings(config, await listStoredSettings(db));
  const readRetentionDays = async () => (await readSettings()).auditRetentionDays;
  const readBytesMax = async () => (await readSettings()).auditBytesMax;
  const { readUsedBytes } = store;
  return [
    ...duringCalls,
    createRecoveryJob({ db, now, locks }, instance),
    createTokenUseJob({ db, uses }),
    createOAuthPurgeJob({ db, now }),
    createSessionPurgeJob({ db, now, idleMsMax }),
    createSignInPurgeJob({ db, now }),
    createMemoryJob({ memory: processMemory }),
    createCountJob({ db, now, isClosing }),
    createPurgeJob({ db, now, readRetentionDays, isClosing }),
    createBytesLimitJob({ db, now, readUsedBytes, readBytesMax, isClosing }),
    createEmbeddingPurgeJob({ db, now, isClosing }),
    ...(config.embeddingsUrl === null ? [] : [createSearchJob(operations)]),
    createDiskJob({ dataDir: config.dataDir, log }),
  ];
}
