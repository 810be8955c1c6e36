import type { PendingCallDetail } from "@hub/contract/pending-call.ts";
import { useState } from "react";
import { useChange } from "../../../api/use-api.ts";
import { useCommentDraft } from "../card/comment-field.tsx";
import type { Choice } from "../card/decision-buttons.tsx";
import { type Ends, useSentDecision } from "../card/use-sent-decision.ts";
import { callStateNames } from "./call-state.tsx";

/** Decides the call that is shown. */
export function useCallDecision(call: PendingCallDetail, { onGone, onFailed }: Ends) {
  const { id, state, decided_by: decidedBy } = call;
  const [comment, setComment, removeComment] = useCommentDraft(id);
  const [isForHour, setForHour] = useState(false);
  const change = useChange("POST /manager/api/pending-calls/{call}/decision", {
    refreshes: callRoutes,
    onDone(decided) {
      removeComment();
      onGone(`${callStateNames[decided.state]}:`);
    },
    onFailed,
  });
  const { keep, ...sent } = useSentDecision({
    item: call,
    change,
    isOpen: state === "open",
    stateName: callStateNames[state],
    decidedBy,
    onGone,
    removeComment,
  });
  const send = (decision: Choice) => {
    const text = comment.trim();
    const hour = decision === "approved" && isForHour && call.hour !== null;
    keep();
    change.run({
      params: { call: id },
      body: {
        decision,
        hash: call.hash,
        ...(text !== "" && { comment: text }),
        ...(hour && { hour }),
      },
    });
  };
  return { ...sent, send, comment, setComment, isForHour, setForHour };
}

/** The routes whose answers a decision changes. */
export const callRoutes = [
  "GET /manager/api/waiting-decisions",
  "GET /manager/api/pending-calls",
  "GET /manager/api/pending-calls/{call}",
  "GET /manager/api/permits",
] as const;
