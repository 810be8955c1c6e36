/** A task that runs periodically while the hub is open. */
export type Job = {
  name: string;
  everyMs: number;
  /** Whether it also runs at start. */
  runsAtStart: boolean;
  /** Long work asks `isOver` between its steps, and leaves the rest to a later run if it is true. */
  run(isOver?: () => boolean): Promise<void>;
};

export type Jobs = {
  start(job: Job): void;
  /** Runs a started job now, and once more after it if it runs already. */
  wake(name: string): void;
  /** Stops all timers and waits for running jobs. */
  stop(): Promise<void>;
};

type JobsDeps = {
  /** Called when a job fails. The job runs again at its next time. */
  onFailure(name: string, failure: unknown): void;
};

export function createJobs(deps: JobsDeps): Jobs {
  const timers: Timer[] = [];
  const known = new Map<string, Job>();
  const running = new Map<string, Promise<void>>();
  const again = new Set<string>();
  let isClosing = false;

  function runOnce(job: Job): void {
    // A job that runs longer than its interval is not started twice.
    if (running.has(job.name)) return;
    const run = job
      .run(() => isClosing)
      .catch((failure) => deps.onFailure(job.name, failure))
      .finally(() => {
        running.delete(job.name);
        if (again.delete(job.name) && !isClosing) runOnce(job);
      });
    running.set(job.name, run);
  }

  return {
    start(job) {
      known.set(job.name, job);
      if (job.runsAtStart) runOnce(job);
      const timer = setInterval(() => runOnce(job), job.everyMs);
      // The timer must not keep the process alive.
      timer.unref();
      timers.push(timer);
    },
    wake(name) {
      const job = known.get(name);
      if (job === undefined || isClosing) return;
      if (running.has(name)) again.add(name);
      else runOnce(job);
    },
    async stop() {
      isClosing = true;
      for (const timer of timers) clearInterval(timer);
      await Promise.all(running.values());
    },
  };
}
