import type { WorkflowProblem } from "@hub/contract/workflow-problem.ts";
import { Badge } from "../ui/badge.tsx";
import styles from "./workflows.module.css";

const shownMax = 50;

/** The problems of a body, errors first. */
export function ProblemList({ problems }: { problems: readonly WorkflowProblem[] }) {
  const sorted = problems.toSorted((one, other) => one.severity.localeCompare(other.severity));
  return (
    <ul className={styles.problems}>
      {sorted.slice(0, shownMax).map(({ path, severity, message, hint }) => (
        <li key={`${path} ${message}`}>
          <Badge tone={severity === "error" ? "bad" : "warn"}>
            {severity === "error" ? "Error" : "Warning"}
          </Badge>{" "}
          {message} <span className={styles.soft}>{hint}</span> {path !== "" && <code>{path}</code>}
        </li>
      ))}
      {sorted.length > shownMax && <li>{`And ${sorted.length - shownMax} more.`}</li>}
    </ul>
  );
}
