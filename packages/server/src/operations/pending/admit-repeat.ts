import { approveAccountCalls } from "../../store/pending/account-calls.ts";
import type { PendingCall } from "../../store/pending/pending-call-record.ts";
import { endPendingCall } from "../../store/pending/pending-call-states.ts";
import { findPendingCall } from "../../store/pending/pending-calls-table.ts";
import type { PreparedCall } from "../calls/prepare-call.ts";
import type { ExecuteRequest } from "../operations.ts";
import type { AdmitDeps } from "./admit-deps.ts";
import { admitUnasked, refuseUnapproved } from "./admit-unasked.ts";
import type { Present } from "./answer-by.ts";
import { createClaim } from "./create-claim.ts";
import { digestBasis } from "./digest-basis.ts";
import type { Admission } from "./pending-calls.ts";
import { pendingLimits } from "./pending-limits.ts";

/**
 * A repeat, by its pending call, of a call that no rule asks about: it needed an account, which it has now, or its rule is gone.
 * `findRequest` has checked that the pending call is of this caller. It runs once, and its later repeats get the result. Null if
 * the call runs as any other does.
 */
export async function admitRepeat(
  deps: AdmitDeps,
  { target }: Pick<PreparedCall, "target">,
  { pendingId = "", onlyApproved }: Pick<ExecuteRequest, "pendingId" | "onlyApproved">,
): Promise<Admission> {
  const call = await findPendingCall(deps.db, pendingId);
  if (call === null) {
    // It was deleted since `findRequest` read it.
    if (onlyApproved) throw refuseUnapproved();
    return null;
  }
  const basis = await digestBasis({ ...target, rule: null });
  const present = { basis, rowVersion: target.row.record.version };
  const isWaiting = call.state === "open" || call.state === "approved";
  if (call.reason !== "account" || !isWaiting) {
    return await admitUnasked(deps, { calls: [call], present, pendingId, onlyApproved });
  }
  const admission = await admitConnected(deps, call, present);
  if (admission === null && onlyApproved) throw refuseUnapproved();
  return admission;
}

/** A call whose account is there. Its user has decided by connecting it. */
async function admitConnected(
  deps: AdmitDeps,
  call: PendingCall,
  { basis, rowVersion }: Present,
): Promise<Admission> {
  const { db } = deps;
  const { id } = call;
  const at = deps.now();
  const until = call.state === "open" ? call.expiresAt : (call.approvedUntil ?? 0);
  if (until <= at) {
    await endPendingCall(db, { id, state: "expired", reason: "not used", at });
    return null;
  }
  if (basis !== call.basis) {
    await endPendingCall(db, { id, state: "changed", reason: "the row or the operation", at });
    return null;
  }
  const approvedUntil = at + pendingLimits.approvedMs;
  await approveAccountCalls(db, { id }, { by: call.userId, at, approvedUntil });
  return { claim: createClaim(deps, call, rowVersion) };
}
