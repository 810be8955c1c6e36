import { approveAccountCalls } from "../../store/pending/account-calls.ts";
import type { PendingCall } from "../../store/pending/pending-call-record.ts";
import { endPendingCall } from "../../store/pending/pending-call-states.ts";
import { findPendingCall } from "../../store/pending/pending-calls-table.ts";
import type { PreparedCall } from "../calls/prepare-call.ts";
import type { ExecuteRequest } from "../operations.ts";
import type { AdmitDeps } from "./admit-deps.ts";
import { admitUnasked, refuseUnapproved } from "./admit-unasked.ts";
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
  const { version } = target.row.record;
  if (!needsConnection(call)) {
    const basis = await digestBasis({ ...target, rule: null });
    const present = { basis, rowVersion: version };
    return await admitUnasked(deps, { calls: [call], present, pendingId, onlyApproved });
  }
  if (await isStillValid(deps, call, target)) return await claimConnected(deps, call, version);
  if (onlyApproved) throw refuseUnapproved();
  return null;
}

/** The named pending call if it has waited for an account, which is there now. Null for any other, and for one that is over. */
export async function findConnected(
  deps: AdmitDeps,
  { target }: Pick<PreparedCall, "target">,
  { pendingId }: Pick<ExecuteRequest, "pendingId">,
): Promise<PendingCall | null> {
  const call = pendingId === undefined ? null : await findPendingCall(deps.db, pendingId);
  if (call === null || !needsConnection(call)) return null;
  return (await isStillValid(deps, call, target)) ? call : null;
}

/** A call whose account is there may run. Its user has decided by connecting it. */
export async function claimConnected(
  deps: AdmitDeps,
  call: PendingCall,
  rowVersion: number,
): Promise<Admission> {
  const at = deps.now();
  const approval = { by: call.userId, at, approvedUntil: at + pendingLimits.approvedMs };
  await approveAccountCalls(deps.db, { id: call.id }, approval);
  return { claim: createClaim(deps, call, rowVersion) };
}

function needsConnection({ reason, state }: PendingCall): boolean {
  return reason === "account" && (state === "open" || state === "approved");
}

/** Ends a call that is late, or that would be sent elsewhere. */
async function isStillValid(
  { db, now }: AdmitDeps,
  { id, state, expiresAt, approvedUntil, basis }: PendingCall,
  target: PreparedCall["target"],
): Promise<boolean> {
  const at = now();
  if ((state === "open" ? expiresAt : (approvedUntil ?? 0)) <= at) {
    await endPendingCall(db, { id, state: "expired", reason: "not used", at });
    return false;
  }
  if (basis === (await digestBasis({ ...target, rule: null }))) return true;
  await endPendingCall(db, { id, state: "changed", reason: "the row or the operation", at });
  return false;
}
