import type { WorkflowProblem } from "@hub/contract/workflow-problem.ts";
import { Button } from "@mantine/core";
import { Badge } from "../../ui/badges/badge.tsx";
import styles from "../workflows.module.css";

const shownMax = 50;

type Props = {
  problems: readonly WorkflowProblem[];
  /** The body that was checked. */
  body?: unknown;
  /** Shows a trigger or node. */
  onGo?: (id: string) => void;
};

/** The problems of a body, errors first. Each leads to its trigger or node. */
export function ProblemList({ problems, body, onGo }: Props) {
  const sorted = problems.toSorted((one, other) => one.severity.localeCompare(other.severity));
  return (
    <ul className={styles.problems}>
      {sorted.slice(0, shownMax).map(({ path, severity, message, hint }) => {
        const id = findItemId(body, path);
        return (
          <li key={`${path} ${message}`}>
            <Badge tone={severity === "error" ? "bad" : "warn"}>
              {severity === "error" ? "Error" : "Warning"}
            </Badge>{" "}
            {message} <span className={styles.soft}>{hint}</span>{" "}
            {path !== "" && <code>{path}</code>}{" "}
            {id !== null && onGo !== undefined && (
              <Button size="compact-xs" variant="default" onClick={() => onGo(id)}>
                {`Show ${id}`}
              </Button>
            )}
          </li>
        );
      })}
      {sorted.length > shownMax && <li>{`And ${sorted.length - shownMax} more.`}</li>}
    </ul>
  );
}

/** The trigger or node in which a problem is, or from which its edge begins. */
function findItemId(body: unknown, path: string): string | null {
  const [list = "", at = ""] = path.split("/").slice(1);
  const item = Object(Object(Object(body)[list])[at]);
  const id: unknown = list === "edges" ? item.from : item.id;
  return typeof id === "string" ? id : null;
}
