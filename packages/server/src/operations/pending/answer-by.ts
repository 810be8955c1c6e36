import type { PendingCall } from "../../store/pending/pending-call-record.ts";
import { endPendingCall } from "../../store/pending/pending-call-states.ts";
import type { AdmitDeps } from "./admit-deps.ts";
import { toDeniedError, toOpenError, toRunningError, toStoredAnswer } from "./answer-repeat.ts";
import { findCallUrl } from "./call-url.ts";
import { createClaim } from "./create-claim.ts";
import type { Admission } from "./pending-calls.ts";
import { pendingLimits } from "./pending-limits.ts";

/** What a call depends on beside what its caller sent, as it is now. */
export type Present = {
  /** See `digestBasis`. */
  basis: string;
  /** The version of the row, which grows with each change of it. */
  rowVersion: number;
};

/**
 * What one pending call says of a call with equal params. Once its row, operation or rule has changed, its result and its
 * denial answer only a call that names it by its id: any other call is judged anew.
 */
export async function answerBy(
  deps: AdmitDeps,
  call: PendingCall,
  { basis, rowVersion, pendingId, at }: Present & { pendingId: string | undefined; at: number },
): Promise<Exclude<Admission, null> | "nothing" | "unknown"> {
  const { db } = deps;
  const isSame = call.basis === basis;
  const isNamed = call.id === pendingId;
  const end = (state: "expired" | "changed", reason: string) =>
    endPendingCall(db, { id: call.id, state, reason, at });
  switch (call.state) {
    case "open":
    case "approved": {
      const until = call.state === "open" ? call.expiresAt : (call.approvedUntil ?? 0);
      if (until <= at) {
        await end("expired", call.state === "open" ? "not decided" : "not used");
        return "nothing";
      }
      if (!isSame) {
        await end("changed", "the row, the operation or the rule");
        return "nothing";
      }
      if (call.state === "approved") return { claim: createClaim(deps, call, rowVersion) };
      throw toOpenError(call, { url: await findCallUrl(deps, call.id), at, isNew: false });
    }
    case "running":
      throw toRunningError(call, await findCallUrl(deps, call.id));
    case "denied":
      if (!isSame && !isNamed) return "nothing";
      if ((call.decidedAt ?? 0) <= at - pendingLimits.denialMs) return "nothing";
      throw toDeniedError(call, at);
    case "done": {
      if (!isSame && !isNamed) return "nothing";
      const isOwn = call.runsByItself || call.isTask;
      const answersMs = isOwn ? pendingLimits.ownResultMs : pendingLimits.resultMs;
      if (call.result === null || (call.resultAt ?? 0) <= at - answersMs) return "nothing";
      return { answer: toStoredAnswer(deps.ring.current(), call) };
    }
    case "unknown":
      return "unknown";
    default:
      return "nothing";
  }
}
