import type { WorkflowApprovalDetail } from "@hub/contract/workflow-approval.ts";
import { useEffect, useState } from "react";
import type { ApiError } from "../../../api/api-error.ts";
import { useChange } from "../../../api/use-api.ts";
import { useMe } from "../../../api/use-me.ts";
import { workflowRunRoutes } from "../../../workflow-parts/workflow-routes.ts";
import { approvalStateNames } from "../approval-filters.ts";
import { useCommentDraft } from "./comment-field.tsx";
import type { Choice } from "./decision-buttons.tsx";

type Ends = {
  /** Gets what to say of it when it waits no more and the next one may open. */
  onGone: (text: string) => void;
  /** Also after the user has gone on, when the card is there no more. */
  onFailed: (error: ApiError) => void;
};

/** Decides what is shown. */
export function useDecision(approval: WorkflowApprovalDetail, { onGone, onFailed }: Ends) {
  const { id, state, decided_by: by } = approval;
  const { user } = useMe();
  const [comment, setComment, removeComment] = useCommentDraft(id);
  // While it is sent, the card stays as it was decided on.
  const [sent, setSent] = useState(approval);
  const change = useChange("POST /manager/api/approvals/{approval}/decide", {
    refreshes: approvalRoutes,
    onDone(decided) {
      removeComment();
      onGone(`${approvalStateNames[decided.state]}:`);
    },
    onFailed,
  });
  const { error, isPending, variables } = change;
  const isTooLate = error !== null && state !== "pending";
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the answer says so.
  useEffect(() => {
    if (!isTooLate) return;
    // The hub has decided, and its answer was lost.
    if (by === user.email) {
      removeComment();
      return onGone(`${approvalStateNames[state]}:`);
    }
    const word = approvalStateNames[state].toLowerCase();
    onGone(by === null ? `Too late, ${word}:` : `${by} was first, ${word}:`);
  }, [isTooLate]);
  const send = (decision: Choice) => {
    const text = comment.trim();
    setSent(approval);
    change.run({
      params: { approval: id },
      body: { decision, hash: approval.hash, ...(text !== "" && { comment: text }) },
    });
  };
  return {
    shown: isPending ? sent : approval,
    error,
    /** The decision that is under way. */
    sending: isPending ? (variables?.body.decision ?? null) : null,
    send,
    comment,
    setComment,
  };
}

const approvalRoutes = [
  "GET /manager/api/approvals",
  "GET /manager/api/approvals/{approval}",
  ...workflowRunRoutes,
] as const;
