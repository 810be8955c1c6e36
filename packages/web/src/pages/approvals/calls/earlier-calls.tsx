import type { PendingCallDetail } from "@hub/contract/pending-call.ts";
import { TimeAt } from "../../../ui/text/time-at.tsx";
import styles from "./calls.module.css";
import { describeOutcome } from "./describe-call.ts";

/** The last calls of the same user and operation. */
export function EarlierCalls({ earlier }: Pick<PendingCallDetail, "earlier">) {
  if (earlier.length === 0)
    return <p className={styles.none}>It is not among the last 1,000 calls of this user.</p>;
  return (
    <ul className={styles.earlier}>
      {earlier.map((call) => (
        <li key={`${call.at} ${call.status}`}>
          <TimeAt at={call.at} />
          <span>{describeOutcome(call)}</span>
        </li>
      ))}
    </ul>
  );
}
