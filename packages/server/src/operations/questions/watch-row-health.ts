import { HubError } from "../../errors.ts";
import type { NewRun, RunOutcome } from "../../store/runs/run-recorder.ts";
import type { ExecuteDeps } from "../calls/execute-deps.ts";
import type { CallContext } from "../operations.ts";
import { checkHealth } from "./check-row-health.ts";

/** Whether the outcome of a check differs from what is known of its row. */
export type IsChange = (outcome: RunOutcome) => boolean;

/**
 * Checks a row as `checkHealth` does, and records the check only if its outcome is a change. A failed check is none of
 * the caller's failures.
 */
export async function watchHealth(
  deps: ExecuteDeps,
  ctx: CallContext,
  rowId: string,
  isChange: IsChange,
): Promise<void> {
  try {
    await checkHealth({ ...deps, runs: recordChanges(deps.runs, isChange) }, ctx, rowId);
  } catch (thrown) {
    if (!(thrown instanceof HubError)) throw thrown;
  }
}

/** Stores a run when it has ended, if that is a change. */
function recordChanges(runs: ExecuteDeps["runs"], isChange: IsChange): ExecuteDeps["runs"] {
  const begun = new Map<string, NewRun>();
  return {
    async begin(run) {
      begun.set(run.id, run);
    },
    async finish(id, outcome) {
      const run = begun.get(id);
      begun.delete(id);
      if (run === undefined || !isChange(outcome)) return;
      await runs.insertFinished({ ...run, ...outcome.resealed, ...outcome });
    },
    async insertFinished(run) {
      if (isChange(run)) await runs.insertFinished(run);
    },
  };
}
