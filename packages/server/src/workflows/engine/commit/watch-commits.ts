import type {
  AcceptWrite,
  ClaimedRun,
  Lease,
} from "../../../store/workflow-runs/workflow-run-records.ts";
import type { RunCommits } from "./run-commits.ts";
import type { RunWatch } from "./run-watch.ts";

type WatchDeps = {
  watch: Pick<RunWatch, "notify">;
  startAccepted(run: AcceptWrite["run"], lease: Lease): void;
};

/** Commits of a run that wake those who wait for it, and begin the runs that it starts. */
export function watchCommits(
  { watch, startAccepted }: WatchDeps,
  run: ClaimedRun,
  commits: RunCommits,
): RunCommits {
  return {
    async commit(given) {
      const committed = await commits.commit(given);
      watch.notify(run.id);
      (given.starts ?? []).forEach(({ run: started }, index) => {
        const acceptance = committed.acceptances[index];
        if (acceptance?.kind === "started") startAccepted(started, acceptance.lease);
      });
      if (run.waiterRunId !== null && given.transition?.kind === "end")
        watch.notify(run.waiterRunId);
      return committed;
    },
  };
}
