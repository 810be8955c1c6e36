import type { WorkflowOpened } from "@hub/contract/workflow.ts";
import { Badge } from "../../ui/badges/badge.tsx";
import styles from "../workflows.module.css";
import { useTargetNames } from "./target-names.ts";

type Props = {
  opened: readonly WorkflowOpened[];
  /** What was open before. What is not among it is marked as new. */
  before?: readonly WorkflowOpened[];
};

const shownMax = 100;
const typeNames: Record<string, string> = {
  operation: "Operation",
  workflow: "Workflow",
  http: "Request",
  channel: "Message",
};

/** What people who may start a workflow can make its owner call. */
export function OpenedList({ opened, before }: Props) {
  const toName = useTargetNames(opened);
  const known = new Set(before?.map(({ type, target }) => `${type} ${target}`));
  const shown = Map.groupBy(opened, ({ type, target }) => `${type} ${target}`);
  return (
    <ul className={styles.opened}>
      {[...shown].slice(0, shownMax).map(([key, [first]]) => {
        if (first === undefined) return null;
        return (
          <li key={key}>
            <span className={styles.soft}>{typeNames[first.type] ?? first.type}</span>{" "}
            <bdi>{toName(first)}</bdi>{" "}
            {before !== undefined && !known.has(key) && <Badge tone="warn">New</Badge>}
          </li>
        );
      })}
      {shown.size > shownMax && <li>{`And ${shown.size - shownMax} more.`}</li>}
    </ul>
  );
}
