import { Alert } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import type { ApiError } from "../../../api/api-error.ts";
import { Failure } from "../../../ui/page/failure.tsx";
import { Page } from "../../../ui/page/page-frame.tsx";
import styles from "../approvals.module.css";
import { cutShown } from "../cut-shown.ts";
import { useKeys } from "../keys/use-keys.ts";
import { BottomBar, TopBar } from "./bars.tsx";
import { CommentField } from "./comment-field.tsx";
import { type Choice, DecisionButtons } from "./decision-buttons.tsx";
import { GoOnButtons } from "./go-on-buttons.tsx";

/** What stands above the fold of a small phone. */
const titleCharsMax = 320;
const longTitleChars = 70;

/** The question as its card shows it. */
export function cutTitle(title: string): string {
  return cutShown(title, titleCharsMax, 6);
}

type Props = {
  /** The whole question. */
  title: string;
  badge: ReactNode;
  isPending: boolean;
  mayDecide: boolean;
  refusal: string | null;
  isSettled: boolean;
  /** Opens the next one. Null if none waits. */
  onNext: (() => void) | null;
  decision: {
    error: ApiError | null;
    sending: Choice | null;
    send: (choice: Choice) => void;
    comment: string;
    setComment: (text: string) => void;
  };
  /** How it ended. */
  outcome: ReactNode;
  /** The system, the operation and the values that decide. */
  deciding: ReactNode;
  /** What may be chosen beside the decision. */
  choices?: ReactNode;
  /** Who reads the comment. */
  commentHint: string;
  children: ReactNode;
};

/** What is asked, with its buttons and keys: first what decides, then everything that is known. */
export function DecisionCard({ title: whole, isPending, mayDecide, isSettled, ...props }: Props) {
  const { error, sending, send, comment, setComment } = props.decision;
  const title = cutTitle(whole);
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
  const canDecide = isPending && mayDecide;
  // There the buttons at the top are left out.
  const isPhone = useMediaQuery("(max-width: 40rem)", false, { getInitialValueInEffect: false });
  const acts = {
    a: { run: () => send("approved"), waits: true },
    d: { run: () => send("denied"), waits: true },
    c: { run: writeComment },
  };
  useKeys(canDecide && sending === null ? acts : {}, isSettled);
  const toButtons = (label: string, isLeading: boolean) =>
    canDecide ? (
      <DecisionButtons
        label={label}
        isLeading={isLeading}
        sending={sending}
        isSettled={isSettled}
        onDecide={send}
        onComment={writeComment}
      />
    ) : (
      // The bar above has "Next": of one that others decide, the card says it no second time.
      <GoOnButtons label={label} isLeading={isLeading} onNext={isPending ? null : props.onNext} />
    );
  return (
    <div
      className={styles.card}
      data-long={whole.length > longTitleChars || undefined}
      data-settled={isSettled || undefined}
    >
      <Page
        title={title.length < whole.length ? `${title}…` : title}
        badge={<span className={canDecide ? styles.waits : undefined}>{props.badge}</span>}
        actions={<TopBar>{toButtons("Decision", true)}</TopBar>}
      >
        {isPending && !mayDecide && (
          <div className={styles.refusal}>
            <Alert color="yellow" title="You may not decide this">
              {props.refusal ?? "Another approver must decide."}
            </Alert>
          </div>
        )}
        {!isPending && props.outcome}
        <div ref={failure} className={styles.failure}>
          <Failure of={error} />
        </div>
        <section className={styles.deciding} aria-label="What decides">
          {props.deciding}
        </section>
        {canDecide && props.choices}
        {canDecide && isCommenting && (
          <CommentField
            ref={field}
            value={comment}
            hint={props.commentHint}
            onChange={setComment}
          />
        )}
        {props.children}
        <BottomBar>{toButtons("Decision, at the end", isPhone)}</BottomBar>
      </Page>
    </div>
  );
}
