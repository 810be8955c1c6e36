import { HubError } from "../../../errors.ts";
import type { Timers } from "../../../lib/time/timers.ts";
import type { NewApproval } from "../../../store/workflow-runs/workflow-approval-records.ts";
import type {
  Acceptance,
  AcceptWrite,
  ClaimedRun,
  RunTransition,
  StepRecord,
} from "../../../store/workflow-runs/workflow-run-records.ts";
import type { WorkflowWriter } from "../../../store/workflow-runs/workflow-writer.ts";
import { LeaseLostError } from "../claim/lease-lost-error.ts";
import { isUnavailable, pause } from "../claim/wait-for-database.ts";
import { type RunStorage, toStepBytes, toStoredBytes } from "../limits/run-storage.ts";

/** What is stored together. */
export type RunCommit = {
  steps?: readonly StepRecord[];
  approvals?: readonly NewApproval[];
  answer?: string | null;
  starts?: readonly AcceptWrite[];
  transition?: RunTransition;
};

export type RunCommits = {
  /**
   * Stores steps of the run. While the database cannot be written, it tries again: a step that has ended
   * must not run once more. Throws LeaseLostError if another process has the run, and the failure of a
   * commit that does not pass, such as one of a value that the database refuses.
   */
  commit(commit: RunCommit): Promise<{ acceptances: Acceptance[]; next: ClaimedRun | null }>;
};

type CommitsDeps = {
  writer: Pick<WorkflowWriter, "commit">;
  storage: Pick<RunStorage, "add">;
  timers: Pick<Timers, "after">;
  now(): number;
  /** Aborts when the process gives up its runs. */
  givesUp: AbortSignal;
};

/** How often a commit is tried that fails for another reason than a database that is away. */
const triesMax = 20;

export function createRunCommits(
  deps: CommitsDeps,
  {
    id,
    workflowId,
    ownerId,
    lease,
    mode,
  }: Pick<ClaimedRun, "id" | "workflowId" | "ownerId" | "lease" | "mode">,
): RunCommits {
  return {
    async commit({
      steps = [],
      approvals = [],
      answer = null,
      starts = [],
      transition = { kind: "go_on" },
    }) {
      for (let tries = 1; ; tries += 1) {
        try {
          const write = {
            runId: id,
            workflowId,
            lease,
            at: deps.now(),
            steps,
            approvals,
            answer,
            starts,
            transition,
            isRepeated: tries > 1,
            mode,
          };
          const committed = await deps.writer.commit(write);
          if (committed.lost) throw new LeaseLostError();
          deps.storage.add({ workflowId, ownerId }, toStepBytes(steps));
          starts.forEach(({ run }, index) => {
            const acceptance = committed.acceptances[index];
            if (acceptance) deps.storage.add(run, toStoredBytes(run, acceptance));
          });
          return committed;
        } catch (err) {
          if (!(err instanceof HubError)) throw err;
          if (deps.givesUp.aborted) throw new LeaseLostError("", { cause: err });
          if (!isUnavailable(err) && tries >= triesMax) throw err;
          await pause(deps.timers);
        }
      }
    },
  };
}
