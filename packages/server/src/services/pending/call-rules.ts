import { HubError } from "../../errors.ts";
import { LOCAL_ADMIN_ID } from "../../identity/local-admin.ts";
import type { PendingState } from "../../store/database/tables/pending-tables.ts";
import type { PendingMark } from "../../store/pending/pending-lists.ts";
import { findStateRefusal, noApprover } from "../../workflows/approvals/approval-rules.ts";

/** A person who may want to decide a call. */
export type CallDecider = {
  userId: string;
  isAdmin: boolean;
  /** Whether the person has one of the deciding tags, or is the deputy of one who has. */
  isNamed: boolean;
  /** Ids of those who may not decide since the question: see `listExcludedSince`. */
  excludedSince: readonly string[];
};

type Decidable = Pick<PendingMark, "userId" | "reason" | "decider" | "excluded">;

/** Why a person may not decide a call. Null if the person may. Does not look at its state. */
export function findCallPersonRefusal(
  { userId: callerId, reason, decider, excluded }: Decidable,
  { userId, isAdmin, isNamed, excludedSince }: CallDecider,
): string | null {
  if (reason !== "approval") return "Nothing is decided about this call.";
  if (decider.kind === "caller") {
    // The local admin has no browser: admins decide its calls.
    if (userId === callerId || (callerId === LOCAL_ADMIN_ID && isAdmin)) return null;
    return "Only the user whose client makes the call decides it.";
  }
  if (excluded.includes(userId)) {
    return "You make this call, or you own, started or edited what makes it. Another approver must decide.";
  }
  if (!isNamed) return noApprover;
  if (excludedSince.includes(userId)) {
    return "Since the question, you changed the rule, or gave or got the right to decide. Another approver must decide.";
  }
  return null;
}

/** Why a call cannot be decided any more. Null if it can. */
export function findCallStateRefusal(
  call: Pick<PendingMark, "state" | "decidedByEmail" | "expiresAt" | "decidedAt">,
  at: number,
): string | null {
  if (call.state === "changed") {
    return "The row, the operation or the rule has changed since. The client must ask anew.";
  }
  if (call.state === "ended") return "Its user, token, row or operation may not call any more.";
  return findStateRefusal({ ...call, state: toApprovalState(call) }, at);
}

/** The state of the question, in the words of the approvals of workflows. */
function toApprovalState({
  state,
  decidedAt,
}: Pick<PendingMark, "state" | "decidedAt">): "pending" | "approved" | "denied" | "expired" {
  if (state === "open") return "pending";
  if (state === "denied") return "denied";
  // One that was approved and not used in time was decided.
  if (state === "expired") return decidedAt === null ? "expired" : "approved";
  return "approved";
}

/** One whose time is over is expired, also before its caller has noticed. */
export function findShownState(
  { state, expiresAt, approvedUntil }: Pick<PendingMark, "state" | "expiresAt" | "approvedUntil">,
  at: number,
): PendingState {
  if (state === "open" && expiresAt <= at) return "expired";
  if (state === "approved" && (approvedUntil ?? 0) <= at) return "expired";
  return state;
}

/** The same answer for a call that does not exist and one of others. */
export function refuseUnknownCall(): HubError {
  return new HubError(
    "not_found",
    "There is no such call for you: it waits for another user, or it ended long ago. Nothing is decided with this link.",
  );
}
