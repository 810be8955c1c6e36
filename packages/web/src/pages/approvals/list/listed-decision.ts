import { describePendingCall } from "@hub/contract/describe-approval.ts";
import type { PendingCall } from "@hub/contract/pending-call.ts";
import type { WorkflowApproval, WorkflowShownValue } from "@hub/contract/workflow-approval.ts";
import type { StateTone } from "../../../ui/badges/state-badge.tsx";
import type { DecisionKey } from "../../../workflow-parts/use-my-approvals.ts";
import { approvalStateNames, approvalTones } from "../approval-filters.ts";
import { callStateNames, callTones } from "../calls/call-state.tsx";
import { readCallSubject } from "../calls/describe-call.ts";
import { readDecidingValues } from "../deciding-values.ts";
import { readSubject, type Subject } from "../subject.ts";

/** A line of the list: an approval of a workflow, or a call. */
export type ListedDecision = {
  key: DecisionKey;
  title: string;
  values: readonly WorkflowShownValue[];
  subject: Subject | null;
  /** The workflow, or what makes the call. */
  source: string;
  state: { tone: StateTone; text: string };
  asked: string;
  expires: string;
  /** `at` is when it was decided or expired. Null for a call that ended before. */
  decided: { by: string | null; at: string | null; comment: string | null };
  mayDecide: boolean;
  refusal: string | null;
};

export function toListed(one: WorkflowApproval | PendingCall): ListedDecision {
  const shared = {
    asked: one.created_at,
    expires: one.expires_at,
    decided: { by: one.decided_by, at: findEnd(one), comment: one.comment },
    mayDecide: one.may_decide,
    refusal: one.refusal,
  };
  if ("workflow_id" in one) {
    const state = { tone: approvalTones[one.state], text: approvalStateNames[one.state] };
    return {
      ...shared,
      key: { kind: "approval", id: one.id },
      title: one.title,
      values: readDecidingValues(one),
      subject: readSubject(one),
      source: one.workflow_name,
      state,
    };
  }
  return {
    ...shared,
    key: { kind: "call", id: one.id },
    title: describePendingCall(one),
    values: one.values,
    subject: readCallSubject(one),
    source: one.made_by,
    state: { tone: callTones[one.state], text: callStateNames[one.state] },
  };
}

function findEnd(one: WorkflowApproval | PendingCall): string | null {
  // A call that is asked anew, or may not run any more, would have expired later.
  const isEarlier = one.state === "changed" || one.state === "ended";
  return one.decided_at ?? (isEarlier ? null : one.expires_at);
}
