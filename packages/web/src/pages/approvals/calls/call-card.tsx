import { describePendingCall } from "@hub/contract/describe-approval.ts";
import type { PendingCallDetail } from "@hub/contract/pending-call.ts";
import { Alert } from "@mantine/core";
import type { ApiError } from "../../../api/api-error.ts";
import { JsonTree } from "../../../ui/json/json-tree.tsx";
import { Card } from "../../../ui/page/card.tsx";
import { cutTitle, DecisionCard } from "../card/decision-card.tsx";
import { Outcome } from "../card/outcome.tsx";
import { SubjectHead } from "../card/subject-head.tsx";
import { ValuesList } from "../card/values-list.tsx";
import { CallFacts } from "./call-facts.tsx";
import { CallState } from "./call-state.tsx";
import styles from "./calls.module.css";
import { DeputyForm } from "./deputy-form.tsx";
import {
  describeAfter,
  readCallSubject,
  splitDescription,
  toDecisionWord,
} from "./describe-call.ts";
import { EarlierCalls } from "./earlier-calls.tsx";
import { HourChoice } from "./hour-choice.tsx";
import { useCallDecision } from "./use-call-decision.ts";

type Props = {
  call: PendingCallDetail;
  isSettled: boolean;
  /** Says what became of it, and opens the next one if there is one. */
  onGone: (title: string, text: string) => void;
  onFailed: (title: string, error: ApiError) => void;
  /** Opens the next one. Null if none waits. */
  onNext: (() => void) | null;
};

/** What a call asks: who calls what with which values; then everything that is known. */
export function CallCard({ call, isSettled, onGone, onFailed, onNext }: Props) {
  const title = describePendingCall(call);
  const decision = useCallDecision(call, {
    onGone: (text) => onGone(cutTitle(title), text),
    onFailed: (error) => onFailed(cutTitle(title), error),
  });
  const { shown, comment } = decision;
  const { first, rest } = splitDescription(shown.description);
  return (
    <DecisionCard
      title={title}
      badge={<CallState state={shown.state} />}
      isPending={shown.state === "open"}
      mayDecide={shown.may_decide}
      refusal={shown.refusal}
      isSettled={isSettled}
      onNext={onNext}
      decision={decision}
      outcome={
        <Outcome
          decided={shown}
          word={toDecisionWord(shown)}
          unsent={comment.trim()}
          after={describeAfter(shown)}
        />
      }
      deciding={
        <>
          <SubjectHead subject={{ ...readCallSubject(shown), description: first }} notes={[]} />
          <p className={styles.by}>
            Called by <bdi>{shown.made_by}</bdi>
          </p>
          <ValuesList values={shown.values} />
        </>
      }
      choices={
        shown.hour !== null && (
          <HourChoice
            hour={shown.hour}
            isChosen={decision.isForHour}
            onChange={decision.setForHour}
          />
        )
      }
      commentHint="It is kept with your decision. After a denial, the client is told it."
    >
      {shown.note !== null && (
        <Alert color="yellow" mb="md">
          {shown.note}
        </Alert>
      )}
      <Card title={shown.state === "open" ? "What runs if you approve" : "What was asked about"}>
        {rest !== "" && (
          <p className={styles.description}>
            <bdi>{rest}</bdi>
          </p>
        )}
        <JsonTree isExact value={shown.params} label={`Params of ${shown.operation_name}`} />
      </Card>
      <Card title="Where it comes from">
        <CallFacts call={shown} />
      </Card>
      <Card title="Earlier calls of the same user">
        <EarlierCalls earlier={shown.earlier} />
      </Card>
      {shown.may_name_deputy && (
        <Card title="Deputy">
          <DeputyForm call={shown} />
        </Card>
      )}
    </DecisionCard>
  );
}
