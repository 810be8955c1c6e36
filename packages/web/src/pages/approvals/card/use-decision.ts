import type { WorkflowApprovalDetail } from "@hub/contract/workflow-approval.ts";
import { useEffect, useState } from "react";
import { useChange } from "../../../api/use-api.ts";
import { workflowRunRoutes } from "../../../workflow-parts/workflow-routes.ts";
import { approvalStateNames } from "../approval-filters.ts";
import { useCommentDraft } from "./comment-field.tsx";
import type { Choice } from "./decision-buttons.tsx";

/** Decides what is shown. `onGone` gets what to say of it when it waits no more and the next one may open. */
export function useDecision(approval: WorkflowApprovalDetail, onGone: (text: string) => void) {
  const { id, state, decided_by: by } = approval;
  const [comment, setComment, removeComment] = useCommentDraft(id);
  // While it is sent, the card stays as it was decided on.
  const [sent, setSent] = useState(approval);
  const change = useChange("POST /manager/api/approvals/{approval}/decide", {
    refreshes: approvalRoutes,
    onDone(decided) {
      removeComment();
      onGone(`${approvalStateNames[decided.state]}:`);
    },
  });
  const { error, isPending, variables } = change;
  const isTooLate = error !== null && state !== "pending";
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the answer says so.
  useEffect(() => {
    if (!isTooLate) return;
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
