import { HubError } from "../../errors.ts";
import { transaction } from "../../store/database/database.ts";
import type { PendingCall } from "../../store/pending/pending-call-record.ts";
import { claimPendingCall } from "../../store/pending/pending-call-states.ts";
import { findPendingCall } from "../../store/pending/pending-calls-table.ts";
import { insertRunningRun } from "../../store/runs/insert-running-run.ts";
import type { RunClaim } from "../records/recording.ts";
import type { AdmitDeps } from "./admit-deps.ts";
import { toMovedError, toRunningError } from "./answer-repeat.ts";

/**
 * The use of an approval. It and the record of the call are one transaction, so that no two calls use it, and no call runs
 * without it.
 */
export function createClaim(
  { db, now, instanceId }: Pick<AdmitDeps, "db" | "now" | "instanceId">,
  { id, userId, digest, basis }: Pick<PendingCall, "id" | "userId" | "digest" | "basis">,
  rowVersion: number,
): RunClaim {
  return {
    callId: id,
    userId,
    runId: null,
    async begin(run) {
      const claim = { id, digest, basis, rowVersion, runId: run.id, instanceId, at: now() };
      const isClaimed = await transaction(db, async (trx) => {
        if (!(await claimPendingCall(trx, claim))) return false;
        await insertRunningRun(trx, run);
        return true;
      });
      if (!isClaimed) throw await explainLost(db, id);
      this.runId = run.id;
    },
  };
}

/** Why the approval is not there any more. */
async function explainLost(db: AdmitDeps["db"], id: string): Promise<HubError> {
  const call = await findPendingCall(db, id);
  if (call?.state === "running") return toRunningError(call, null);
  const why =
    "The approval of this call was used, has ended, or is late, or the row has just changed.";
  if (call !== null) return toMovedError(call, why);
  return new HubError("approval_required", `${why} Nothing has run by this call. Make it again.`, {
    detail: { retry_after_s: 1, run_by_repeat: true },
  });
}
