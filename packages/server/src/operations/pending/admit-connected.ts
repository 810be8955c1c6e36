import { HubError } from "../../errors.ts";
import { approveAccountCalls } from "../../store/pending/account-calls.ts";
import { endPendingCall } from "../../store/pending/pending-call-states.ts";
import { findPendingCall } from "../../store/pending/pending-calls-table.ts";
import type { PreparedCall } from "../calls/prepare-call.ts";
import type { AdmitDeps } from "./admit-call.ts";
import { toRunningError, toStoredAnswer } from "./answer-repeat.ts";
import { createClaim } from "./create-claim.ts";
import { digestBasis } from "./digest-basis.ts";
import type { Admission } from "./pending-calls.ts";
import { pendingLimits } from "./pending-limits.ts";

/**
 * A repeat, by its pending call, of a call that needed an account, which it has now: it runs once, and its later repeats get
 * the result. `findRequest` has checked that the pending call is of this caller. Null if the call runs as any other does.
 */
export async function admitConnected(
  deps: AdmitDeps,
  { target }: Pick<PreparedCall, "target">,
  pendingId: string,
): Promise<Admission> {
  const { db } = deps;
  const call = await findPendingCall(db, pendingId);
  if (call === null || call.reason !== "account") return null;
  const at = deps.now();
  switch (call.state) {
    case "open":
    case "approved": {
      const until = call.state === "open" ? call.expiresAt : (call.approvedUntil ?? 0);
      const basis = await digestBasis({ ...target, rule: null });
      if (until <= at || basis !== call.basis) {
        const end =
          until <= at
            ? ({ state: "expired", reason: "not used" } as const)
            : ({ state: "changed", reason: "the row or the operation" } as const);
        await endPendingCall(db, { id: call.id, ...end, at });
        return null;
      }
      const approvedUntil = at + pendingLimits.approvedMs;
      await approveAccountCalls(db, { id: call.id }, { by: call.userId, at, approvedUntil });
      return { claim: createClaim(deps, call) };
    }
    case "running":
      throw toRunningError(call, null);
    case "done": {
      const answersMs = call.isTask ? pendingLimits.ownResultMs : pendingLimits.resultMs;
      if (call.result === null || (call.resultAt ?? 0) <= at - answersMs) return null;
      return { answer: toStoredAnswer(deps.ring.current(), call) };
    }
    case "unknown":
      throw new HubError(
        "conflict",
        "The hub stopped while this call ran: whether it took effect is not known, and it is not run again. Check its effect, and call with params if it is to run.",
      );
    default:
      return null;
  }
}
