import type { Timers } from "../../../lib/time/timers.ts";
import type { StepRecord } from "../../../store/workflow-runs/workflow-run-records.ts";
import type { RunCommits } from "./run-commits.ts";

/** Commits of a run, some of whose steps wait for the next commit. */
export type StepCommits = RunCommits & {
  /**
   * Stores a step that only computed something: with the next commit of the run, and soon if there is
   * none. If the process dies before, the step computes the same again.
   */
  defer(step: StepRecord): Promise<void>;
  /** Resolves when every deferred step is on disk. */
  flush(): Promise<void>;
};

/** A run that calls something slow shows its earlier steps after this time. */
const deferMsMax = 100;
/** A run that computes for longer lets others work in between. */
const computeMsMax = 5;
const charsMax = 256 * 1024;

export function createStepCommits(
  commits: RunCommits,
  { timers, now }: { timers: Pick<Timers, "after">; now(): number },
): StepCommits {
  let deferred: StepRecord[] = [];
  let chars = 0;
  let since = 0;
  let stopTimer = () => {};
  /** The last commit with deferred steps. The next commits follow from its steps, so they wait for it. */
  let carrying: Promise<unknown> | null = null;
  /** Why steps could not be stored. What follows from them must not be stored either. */
  let fault: { cause: unknown } | null = null;

  const commit: RunCommits["commit"] = async (given) => {
    const steps = [...deferred, ...(given.steps ?? [])];
    const isCarrying = deferred.length > 0;
    deferred = [];
    stopTimer();
    const earlier = carrying;
    const committed = (async () => {
      if (earlier !== null) await earlier;
      if (fault !== null) throw fault.cause;
      return await commits.commit({ ...given, steps });
    })();
    if (isCarrying) {
      const finished = committed.then(
        () => {},
        (cause: unknown) => {
          fault ??= { cause };
        },
      );
      carrying = finished;
      finished.then(() => {
        if (carrying === finished) carrying = null;
      });
    }
    return await committed;
  };

  async function flush(): Promise<void> {
    if (deferred.length > 0) await commit({});
    else await carrying;
  }

  return {
    commit,
    flush,
    async defer(step) {
      if (deferred.length === 0) {
        since = now();
        chars = 0;
        // If this process has lost the run, its next commit fails too.
        stopTimer = timers.after(deferMsMax, () => void flush().catch(() => {}));
      }
      deferred.push(step);
      chars += (step.input?.length ?? 0) + (step.output?.length ?? 0);
      if (chars > charsMax || now() - since > computeMsMax) await flush();
    },
  };
}
