import type { Config } from "../config.ts";
import { idleMsMax } from "../identity/browser-sessions.ts";
import { LOCAL_ADMIN_ID } from "../identity/local-admin.ts";
import type { TokenUses } from "../identity/token-uses.ts";
import { createDiskJob } from "../jobs/check-disk.ts";
import { createJobs, type Job } from "../jobs/create-jobs.ts";
import { createTokenUseJob } from "../jobs/flush-token-uses.ts";
import { createMemoryJob, processMemory } from "../jobs/free-memory.ts";
import { createHeartbeatJob, createRecoveryJob, type Instance } from "../jobs/keep-instance.ts";
import { createPendingJob, createPendingPurgeJob } from "../jobs/keep-pending-calls.ts";
import { createBytesLimitJob } from "../jobs/limit-run-bytes.ts";
import { cancelJobName, createCancelJob } from "../jobs/poll-cancellations.ts";
import { createSearchJob } from "../jobs/prepare-search.ts";
import { createEmbeddingPurgeJob } from "../jobs/purge-embeddings.ts";
import { createOAuthPurgeJob } from "../jobs/purge-oauth.ts";
import { createPurgeJob } from "../jobs/purge-runs.ts";
import { createSessionPurgeJob } from "../jobs/purge-sessions.ts";
import { createSignInPurgeJob } from "../jobs/purge-sign-in-counters.ts";
import { createWorkflowPurgeJob } from "../jobs/purge-workflow-runs.ts";
import { createReleaseJob } from "../jobs/release-workflow-runs.ts";
import { createSharedJobs } from "../jobs/shared-jobs.ts";
import { createCountJob } from "../jobs/update-run-counts.ts";
import { createIntegrityJob } from "../jobs/watch-integrity.ts";
import type { Log } from "../lib/logs/create-log.ts";
import type { Operations } from "../operations/ports.ts";
import type { RequestCancellation } from "../store/servers/request-cancellations.ts";
import { listStoredSettings } from "../store/settings/settings-table.ts";
import type { Store } from "../store/store.ts";
import { toLiveSettings } from "../stored-settings.ts";

type JobParts = {
  store: Store;
  config: Config;
  log: Log;
  now: () => number;
  uses: TokenUses;
  operations: {
    running: Pick<Operations["running"], "cancel">;
    catalogue: Pick<Operations["catalogue"], "prepareSearch">;
  };
  cancelRequest(request: RequestCancellation): void;
  /** The jobs of other steps of the composition. */
  more: JobLists;
  openWorkflowsIfAny(): Promise<void>;
};

/** Starts the periodic jobs of a process; returns a function that stops them. */
export function startJobs(parts: JobParts, instance: Instance) {
  const { log, store } = parts;
  const onFailure = (job: string, err: unknown) =>
    log.error({ job, err }, "A periodic job failed; it runs again later");
  const jobs = createJobs({ onFailure });
  const { own, common } = listJobs(parts, instance);
  for (const job of own) jobs.start(job);
  const shared = store.isShared
    ? createSharedJobs(common, { db: store.db, instanceId: instance.id, onFailure })
    : null;
  if (shared === null) for (const job of common) jobs.start(job);
  else jobs.start({ name: "shared-jobs", everyMs: 5_000, runsAtStart: true, run: shared.runDue });
  const wake = () => jobs.wake(cancelJobName);
  const receiving = instance.kind === "cli" ? null : store.signals.receive("cancel", wake);
  return async () => {
    const stopReceiving = await receiving;
    await stopReceiving?.();
    await jobs.stop();
    await shared?.stop();
  };
}

export type JobLists = {
  /** About this process, or safe and cheap in each. */
  own: Job[];
  /** About the database: one process at a time does them for all. */
  common: Job[];
};

/** The periodic jobs of a process of this kind. */
export function listJobs(
  { store, config, log, now, uses, operations, cancelRequest, openWorkflowsIfAny, more }: JobParts,
  instance: Instance,
): JobLists {
  const { db, clock, instanceLocks: locks, signals } = store;
  const isCommand = instance.kind === "cli";
  const { cancel } = operations.running;
  const duringCalls = [
    createHeartbeatJob({ db, clock, locks }, instance),
    // A command listens to no signals, because it would need one more connection.
    createCancelJob({ db, cancel, cancelRequest, everyMs: isCommand ? 1_000 : signals.pollMs }),
  ];
  // A command does no maintenance, but its call may be long and must be cancellable.
  if (isCommand) return { own: duringCalls, common: [] };
  const readSettings = async () => toLiveSettings(config, await listStoredSettings(db));
  const readRetentionDays = async () => (await readSettings()).auditRetentionDays;
  const readWorkflowDays = async () => (await readSettings()).workflowRetentionDays;
  const readBytesMax = async () => (await readSettings()).auditBytesMax;
  const { readUsedBytes } = store;
  return {
    own: [
      ...duringCalls,
      // In each process: which others are dead must not depend on one that may be dead itself.
      createRecoveryJob({ db, clock, locks }, instance),
      createTokenUseJob({ db, uses }),
      createMemoryJob({ memory: processMemory }),
      ...(config.embeddingsUrl === null ? [] : [createSearchJob(operations.catalogue)]),
      createDiskJob({
        dataDir: config.dataDir,
        bytesMin: store.isShared ? 0 : config.diskFreeBytesMin,
        log,
      }),
      ...(store.integrity !== null && instance.kind === "serve"
        ? [createIntegrityJob({ integrity: store.integrity, log, now })]
        : []),
      ...more.own,
      ...(instance.kind === "serve"
        ? [
            // Another process may have made the first workflow, so a server looks for one.
            { name: "workflows", everyMs: 1_000, runsAtStart: true, run: openWorkflowsIfAny },
            createReleaseJob({ db, clock, locks }, instance),
          ]
        : []),
    ],
    common: [
      ...more.common,
      createPendingJob({ db, now, localUserId: LOCAL_ADMIN_ID }),
      createPendingPurgeJob({ db, now }),
      createOAuthPurgeJob({ db, now }),
      createSessionPurgeJob({ db, now, idleMsMax }),
      createSignInPurgeJob({ db, now }),
      createCountJob({ db, now }),
      createPurgeJob({ db, now, readRetentionDays }),
      createBytesLimitJob({ db, now, readUsedBytes, readBytesMax }),
      createEmbeddingPurgeJob({ db, now }),
      createWorkflowPurgeJob({ db, now, readRetentionDays: readWorkflowDays }),
    ],
  };
}
