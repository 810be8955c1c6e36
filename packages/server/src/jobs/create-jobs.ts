/** A task that runs periodically while the hub is open. */
export type Job = {
  name: string;
  everyMs: number;
  /** Whether it also runs at start. */
  runsAtStart: boolean;
  run(): Promise<void>;
};

export type Jobs = {
  start(job: Job): void;
  /** Stops all timers and waits for running jobs. */
  stop(): Promise<void>;
};

type JobsDeps = {
  /** Called when a job fails. The job runs again at its next time. */
  onFailure(name: string, failure: unknown): void;
};

export function createJobs(deps: JobsDeps): Jobs {
  const timers: Timer[] = [];
  const running = new Map<string, Promise<void>>();

  function runOnce(job: Job): void {
    // A job that runs longer than its interval is not started twice.
    if (running.has(job.name)) return;
    const run = job
      .run()
      .catch((failure) => deps.onFailure(job.name, failure))
      .finally(() => running.delete(job.name));
    running.set(job.name, run);
  }

  return {
    start(job) {
      if (job.runsAtStart) runOnce(job);
      const timer = setInterval(() => runOnce(job), job.everyMs);
      // The timer must not keep the process alive.
      timer.unref();
      timers.push(timer);
    },
    async stop() {
      for (const timer of timers) clearInterval(timer);
      await Promise.all(running.values());
    },
  };
}
