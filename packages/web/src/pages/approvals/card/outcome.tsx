import type { WorkflowApproval } from "@hub/contract/workflow-approval.ts";
import { useMe } from "../../../api/use-me.ts";
import { Card } from "../../../ui/page/card.tsx";
import { TimeAgo } from "../../../ui/text/time-ago.tsx";
import styles from "../approvals.module.css";

type Props = {
  decided: Pick<WorkflowApproval, "decided_by" | "decided_at" | "comment" | "refusal">;
  /** `approved` or `denied` if a person has decided. */
  word: string;
  /** The comment that the user wrote and did not send. */
  unsent: string;
  /** What has become of it since. */
  after?: string;
};

/** How it ended. If that happens while the page is open, it is said. */
export function Outcome({ decided, word, unsent, after = "" }: Props) {
  const { user } = useMe();
  const { decided_by: by, decided_at: at, comment, refusal } = decided;
  const who = by === user.email ? "You have" : `${by} has`;
  return (
    <Card title="The decision">
      <div role="status">
        {word === "approved" || word === "denied" ? (
          <p className={styles.said}>
            <bdi>{who}</bdi>
            {` ${word} it `}
            {at !== null && <TimeAgo at={at} />}.
          </p>
        ) : (
          <p className={styles.said}>{refusal ?? "It waits for no decision any more."}</p>
        )}
        {after !== "" && <p className={styles.said}>{after}</p>}
      </div>
      {comment !== null && <blockquote className={styles.details}>{comment}</blockquote>}
      {unsent !== "" && (
        <>
          <p className={styles.unsent}>Your comment was not sent:</p>
          <blockquote className={styles.details}>{unsent}</blockquote>
        </>
      )}
    </Card>
  );
}
