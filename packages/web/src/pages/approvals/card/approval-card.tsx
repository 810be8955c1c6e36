import type { WorkflowApprovalDetail } from "@hub/contract/workflow-approval.ts";
import { Alert } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import type { ApiError } from "../../../api/api-error.ts";
import { Card } from "../../../ui/page/card.tsx";
import { Failure } from "../../../ui/page/failure.tsx";
import { Page } from "../../../ui/page/page-frame.tsx";
import { ApprovalState } from "../approval-state.tsx";
import styles from "../approvals.module.css";
import { cutShown } from "../cut-shown.ts";
import { readDecidingValues } from "../deciding-values.ts";
import { useKeys } from "../keys/use-keys.ts";
import { listNotes, readSubject } from "../subject.ts";
import { BottomBar, TopBar } from "./bars.tsx";
import { CommentField } from "./comment-field.tsx";
import { DecisionButtons } from "./decision-buttons.tsx";
import { Facts } from "./facts.tsx";
import { GoOnButtons } from "./go-on-buttons.tsx";
import { Outcome } from "./outcome.tsx";
import { SubjectHead } from "./subject-head.tsx";
import { useDecision } from "./use-decision.ts";
import { ValuesList } from "./values-list.tsx";
import { WillRun } from "./will-run.tsx";

/** What stands above the fold of a small phone. */
const titleCharsMax = 320;
const longTitleChars = 70;

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
  const title = cutShown(approval.title, titleCharsMax, 6);
  const isCut = title.length < approval.title.length;
  const decision = useDecision(approval, {
    onGone: (text) => onGone(title, text),
    onFailed: (error) => onFailed(title, error),
  });
  const { shown, error, sending, send, comment, setComment } = decision;
  const { state, may_decide: mayDecide, refusal, details } = shown;
  const field = useRef<HTMLTextAreaElement>(null);
  const failure = useRef<HTMLDivElement>(null);
  // The pressed button may be at the end of a long page.
  useEffect(() => {
    if (error !== null) failure.current?.scrollIntoView({ block: "center" });
  }, [error]);
  const [isCommenting, setCommenting] = useState(comment !== "");
  const writeComment = () => {
    // At once, so that the next key is written and not taken as a decision.
    flushSync(() => setCommenting(true));
    field.current?.focus();
  };
  const isPending = state === "pending";
  const canDecide = isPending && mayDecide;
  const acts = {
    a: { run: () => send("approved"), waits: true },
    d: { run: () => send("denied"), waits: true },
    c: { run: writeComment },
  };
  useKeys(canDecide && sending === null ? acts : {}, isSettled);
  const toButtons = (label: string) =>
    canDecide ? (
      <DecisionButtons
        label={label}
        sending={sending}
        isSettled={isSettled}
        onDecide={send}
        onComment={writeComment}
      />
    ) : (
      <GoOnButtons label={label} onNext={onNext} />
    );
  return (
    <div
      className={styles.card}
      data-long={approval.title.length > longTitleChars || undefined}
      data-settled={isSettled || undefined}
    >
      <Page
        title={isCut ? `${title}…` : title}
        badge={
          <span className={canDecide ? styles.waits : undefined}>
            <ApprovalState state={state} />
          </span>
        }
        actions={<TopBar>{toButtons("Decision")}</TopBar>}
      >
        {isPending && !mayDecide && (
          <div className={styles.refusal}>
            <Alert color="yellow" title="You may not decide this">
              {refusal ?? "Another approver must decide."}
            </Alert>
          </div>
        )}
        {!isPending && <Outcome approval={shown} unsent={comment.trim()} />}
        <div ref={failure} className={styles.failure}>
          <Failure of={error} />
        </div>
        <section className={styles.deciding} aria-label="What decides">
          <SubjectHead subject={readSubject(shown)} notes={listNotes(shown)} />
          <ValuesList values={readDecidingValues(shown)} />
        </section>
        {canDecide && isCommenting && (
          <CommentField ref={field} value={comment} onChange={setComment} />
        )}
        {isCut && (
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
        <BottomBar>{toButtons("Decision, at the end")}</BottomBar>
      </Page>
    </div>
  );
}
