import { toHubError } from "../../../errors.ts";
import type { ClaimedRun } from "../../../store/workflow-runs/workflow-run-records.ts";
import { unknownQueue } from "../accept/prepare-run.ts";
import type { RunStarts } from "../accept/run-starts.ts";
import type { RunCommits } from "../commit/run-commits.ts";
import { type RunFailure, toFailureText } from "../walk/run-failure.ts";
import { LeaseLostError } from "./lease-lost-error.ts";

type FailDeps = {
  starts: Pick<RunStarts, "listErrorRuns">;
  commits: RunCommits;
  logFailure(err: unknown): void;
};

/** Ends a run that cannot go on: its workflow was deleted, or the hub's own code failed. */
export async function failBrokenRun(
  { starts, commits, logFailure }: FailDeps,
  run: ClaimedRun,
  thrown: unknown,
): Promise<void> {
  if (thrown instanceof LeaseLostError) return;
  const { message, code } = toHubError(thrown);
  if (code === "internal") logFailure(thrown);
  const failure: RunFailure = { message, code, nodeId: null, severity: run.severity };
  const errorRuns = await starts.listErrorRuns(run, failure).catch((err: unknown) => {
    logFailure(err);
    return [];
  });
  await commits.commit({
    starts: errorRuns,
    transition: {
      kind: "end",
      state: "failed",
      error: toFailureText(failure),
      lastNode: null,
      waiterRunId: run.waiterRunId,
      activeMs: run.activeMs,
      queue: unknownQueue,
      claimBy: null,
    },
  });
}
