import type { WorkflowDifference } from "@hub/contract/workflow-difference.ts";
import styles from "../workflows.module.css";

const shownMax = 100;

/** What differs between two bodies, in sentences. */
export function DifferenceText({ difference }: { difference: WorkflowDifference }) {
  const { sentences } = difference;
  if (sentences.length === 0) return <p>Nothing differs.</p>;
  return (
    <ul className={styles.difference}>
      {sentences.slice(0, shownMax).map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
      {sentences.length > shownMax && <li>{`And ${sentences.length - shownMax} more.`}</li>}
    </ul>
  );
}
