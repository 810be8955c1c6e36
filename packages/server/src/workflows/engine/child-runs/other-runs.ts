import type { Db } from "../../../store/database/database.ts";
import type { ClaimedRun } from "../../../store/workflow-runs/workflow-run-records.ts";
import type { RunStarts } from "../accept/run-starts.ts";
import type { LoadedWith } from "../claim/load-claimed-run.ts";
import type { WaitForDatabase } from "../claim/wait-for-database.ts";
import type { RunWatch } from "../commit/run-watch.ts";
import type { OtherRuns } from "../walk/walk-state.ts";
import { findChildEnd, waitForRun } from "./run-links.ts";

type OtherRunDeps = {
  db: Db;
  watch: RunWatch;
  starts: RunStarts;
  waitForDatabase: WaitForDatabase;
  /** The process that begins a run of this owner at once, or null if it has no capacity. */
  findProcess(ownerId: string): string | null;
  /** Cancels a run, whichever process has it. */
  cancelRun(runId: string, reason: string): Promise<void>;
};

/** The runs that one run starts or waits for. Each read waits for a database that is away. */
export function createOtherRuns(
  { db, watch, starts, waitForDatabase, findProcess, cancelRun }: OtherRunDeps,
  run: ClaimedRun,
  of: Pick<LoadedWith, "workflow" | "plan">,
): OtherRuns {
  return {
    findScheduled: (output) => starts.findScheduled(run, of, output),
    prepareChild: (child) => starts.prepareChild(run, child),
    findChildEnd: (runId) => waitForDatabase(() => findChildEnd({ db }, run, runId)),
    waitForRun: (runId, signal) => waitForDatabase(() => waitForRun({ db, watch }, runId, signal)),
    cancelRun,
    findErrorRuns: (failure) => starts.listErrorRuns(run, failure),
    findNextOwner: () => findProcess(run.ownerId),
  };
}
