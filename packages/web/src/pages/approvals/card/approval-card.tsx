import type { WorkflowApprovalDetail } from "@hub/contract/workflow-approval.ts";
import type { ApiError } from "../../../api/api-error.ts";
import { Card } from "../../../ui/page/card.tsx";
import { ApprovalState } from "../approval-state.tsx";
import styles from "../approvals.module.css";
import { readDecidingValues } from "../deciding-values.ts";
import { listNotes, readSubject } from "../subject.ts";
import { cutTitle, DecisionCard } from "./decision-card.tsx";
import { Facts } from "./facts.tsx";
import { Outcome } from "./outcome.tsx";
import { SubjectHead } from "./subject-head.tsx";
import { useDecision } from "./use-decision.ts";
import { ValuesList } from "./values-list.tsx";
import { WillRun } from "./will-run.tsx";

type Props = {
  approval: WorkflowApprovalDetail;
  isSettled: boolean;
  /** Says what became of it, and opens the next one if there is one. */
  onGone: (title: string, text: string) => void;
  onFailed: (title: string, error: ApiError) => void;
  /** Opens the next one. Null if none waits. */
  onNext: (() => void) | null;
};

/** What a run asks: the system, the operation and the values that decide; then everything that is known. */
export function ApprovalCard({ approval, isSettled, onGone, onFailed, onNext }: Props) {
  const title = cutTitle(approval.title);
  const decision = useDecision(approval, {
    onGone: (text) => onGone(title, text),
    onFailed: (error) => onFailed(title, error),
  });
  const { shown, comment } = decision;
  const { state, may_decide: mayDecide, refusal, details } = shown;
  const isPending = state === "pending";
  return (
    <DecisionCard
      title={approval.title}
      badge={<ApprovalState state={state} />}
      isPending={isPending}
      mayDecide={mayDecide}
      refusal={refusal}
      isSettled={isSettled}
      onNext={onNext}
      decision={decision}
      outcome={<Outcome decided={shown} word={state} unsent={comment.trim()} />}
      deciding={
        <>
          <SubjectHead subject={readSubject(shown)} notes={listNotes(shown)} />
          <ValuesList values={readDecidingValues(shown)} />
        </>
      }
      commentHint="It is sent with your decision, for the list of approvals and for later steps."
    >
      {title.length < approval.title.length && (
        <Card title="The whole question">
          <p className={styles.details}>{approval.title}</p>
        </Card>
      )}
      {details !== "" && (
        <Card title="Details">
          <p className={styles.details}>{details}</p>
        </Card>
      )}
      <Card title={isPending ? "What runs if you approve" : "What was asked about"}>
        <WillRun {...shown} />
      </Card>
      <Card title="Where it comes from">
        <Facts approval={shown} />
      </Card>
    </DecisionCard>
  );
}
