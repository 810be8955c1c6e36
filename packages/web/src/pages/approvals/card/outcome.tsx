import type { WorkflowApprovalDetail } from "@hub/contract/workflow-approval.ts";
import { useMe } from "../../../api/use-me.ts";
import { Card } from "../../../ui/page/card.tsx";
import { TimeAgo } from "../../../ui/text/time-ago.tsx";
import styles from "../approvals.module.css";

/** How it ended. If that happens while the page is open, it is said. */
export function Outcome({
  approval,
  unsent,
}: {
  approval: WorkflowApprovalDetail;
  unsent: string;
}) {
  const { user } = useMe();
  const { state, decided_by: by, decided_at: at, comment, refusal } = approval;
  const who = by === user.email ? "You have" : `${by} has`;
  return (
    <Card title="The decision">
      <div role="status">
        {state === "approved" || state === "denied" ? (
          <p className={styles.said}>
            <bdi>{who}</bdi>
            {` ${state} it `}
            {at !== null && <TimeAgo at={at} />}.
          </p>
        ) : (
          <p className={styles.said}>{refusal ?? "It waits for no decision any more."}</p>
        )}
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
