import type { WorkflowApprovalDetail } from "@hub/contract/workflow-approval.ts";
import { useChange } from "../../../api/use-api.ts";
import { workflowRunRoutes } from "../../../workflow-parts/workflow-routes.ts";
import { approvalStateNames } from "../approval-filters.ts";
import { useCommentDraft } from "./comment-field.tsx";
import type { Choice } from "./decision-buttons.tsx";
import { type Ends, useSentDecision } from "./use-sent-decision.ts";

/** Decides what is shown. */
export function useDecision(approval: WorkflowApprovalDetail, { onGone, onFailed }: Ends) {
  const { id, state, decided_by: decidedBy } = approval;
  const [comment, setComment, removeComment] = useCommentDraft(id);
  const change = useChange("POST /manager/api/approvals/{approval}/decide", {
    refreshes: approvalRoutes,
    onDone(decided) {
      removeComment();
      onGone(`${approvalStateNames[decided.state]}:`);
    },
    onFailed,
  });
  const { keep, ...sent } = useSentDecision({
    item: approval,
    change,
    isOpen: state === "pending",
    stateName: approvalStateNames[state],
    decidedBy,
    onGone,
    removeComment,
  });
  const send = (decision: Choice) => {
    const text = comment.trim();
    keep();
    change.run({
      params: { approval: id },
      body: { decision, hash: approval.hash, ...(text !== "" && { comment: text }) },
    });
  };
  return { ...sent, send, comment, setComment };
}

const approvalRoutes = [
  "GET /manager/api/waiting-decisions",
  "GET /manager/api/approvals",
  "GET /manager/api/approvals/{approval}",
  ...workflowRunRoutes,
] as const;
