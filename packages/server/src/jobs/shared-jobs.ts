import type { Db } from "../store/database/database.ts";
import {
  claimJob,
  claimMs,
  listWaitingJobs,
  releaseJob,
  renewJobClaim,
} from "../store/servers/job-claims.ts";
import type { Job } from "./create-jobs.ts";

type SharedJobsDeps = {
  db: Db;
  /** The id of this process, by which a reader of the database knows who runs a job. */
  instanceId: string;
  /** Called when a job fails, and when the database cannot be asked what is due. */
  onFailure(name: string, failure: unknown): void;
  /** Monotonic, in ms. */
  readMs?: () => number;
};

export type SharedJobs = {
  /** Runs the jobs that are due and that no other process runs. */
  runDue(): Promise<void>;
  /** Ends running jobs between two of their steps, and leaves the rest of them to others. */
  stop(): Promise<void>;
};

const renewMs = claimMs / 4;

/**
 * Runs each job on one server at a time, and once in its period over all servers. The table
 * `periodic_jobs` says what is due. A server that dies loses its claim after `claimMs`; one that was paused
 * for longer stops its job as soon as it goes on.
 */
export function createSharedJobs(jobs: readonly Job[], deps: SharedJobsDeps): SharedJobs {
  const { db, instanceId, onFailure, readMs = () => performance.now() } = deps;
  const running = new Map<string, Promise<void>>();
  let isClosing = false;

  async function runClaimed(job: Job): Promise<void> {
    const { name, everyMs } = job;
    // Of this run, so that a late renewal of an earlier one does not keep this one alive.
    const claim = { name, holder: `${instanceId} ${crypto.randomUUID()}` };
    let heldUntil = readMs() + claimMs;
    if (!(await claimJob(db, { ...claim, everyMs }))) return;
    const timer = setInterval(async () => {
      const startedAt = readMs();
      const isHeld = await renewJobClaim(db, claim).catch(() => null);
      // While the database is away, the claim lasts as long as the database knows it to last.
      if (isHeld !== null) heldUntil = isHeld ? startedAt + claimMs : 0;
    }, renewMs);
    timer.unref();
    let wasCut = false;
    const isOver = () => {
      wasCut ||= isClosing || readMs() >= heldUntil;
      return wasCut;
    };
    try {
      await job.run(isOver);
    } finally {
      clearInterval(timer);
      await releaseJob(db, { ...claim, isFinished: !wasCut });
    }
  }

  return {
    async runDue() {
      const waiting = new Set(await listWaitingJobs(db));
      for (const job of jobs) {
        if (isClosing || waiting.has(job.name) || running.has(job.name)) continue;
        const run = runClaimed(job)
          .catch((failure) => onFailure(job.name, failure))
          .finally(() => running.delete(job.name));
        running.set(job.name, run);
      }
    },
    async stop() {
      isClosing = true;
      await Promise.all(running.values());
    },
  };
}
