import { toTimeText } from "@hub/contract/time.ts";
import { HubError } from "../../errors.ts";
import type { ApprovalMark } from "../../store/workflow-runs/workflow-approval-records.ts";

/** A person who may want to decide. */
export type Decider = {
  userId: string;
  /** At the machine of the hub, and so without a user. */
  isLocal: boolean;
  /** Whether the node names the user, or one of the user's tags. */
  isApprover: boolean;
};

export const noApprover = "You are not one of the approvers.";

/** Why a person may not decide an approval. Null if the person may. Does not look at its state. */
export function findPersonRefusal(
  { isSelf, starterIds, editorIds }: ApprovalMark,
  { userId, isLocal, isApprover }: Decider,
): string | null {
  if (!isApprover && !isLocal) return noApprover;
  if (isSelf) return null;
  if (readIds(starterIds).includes(userId)) {
    return "You started this run, or a run that led to it, or a service user of yours did. Another approver must decide.";
  }
  if (readIds(editorIds).includes(userId)) {
    return "You saved or published what this run runs, or a service user of yours did. Another approver must decide.";
  }
  return null;
}

/** Why an approval cannot be decided any more. Null if it can. */
export function findStateRefusal(
  {
    state,
    decidedByEmail,
    expiresAt,
    decidedAt,
  }: Pick<ApprovalMark, "state" | "decidedByEmail" | "expiresAt" | "decidedAt">,
  at: number,
): string | null {
  if (state === "approved" || state === "denied") {
    const time = decidedAt === null ? "" : ` at ${toTimeText(decidedAt)}`;
    return `${decidedByEmail} has ${state} it already${time}.`;
  }
  if (state === "cancelled") return "Its run has ended.";
  if (state === "expired" || expiresAt <= at) {
    return `It expired at ${toTimeText(expiresAt)}.`;
  }
  return null;
}

/** The same answer for an approval that does not exist and one of others. */
export function refuseUnknown(): HubError {
  return new HubError("not_found", "There is no such approval.");
}

export function readIds(text: string): string[] {
  return JSON.parse(text);
}
