import type { WorkflowDifference } from "@hub/contract/workflow-difference.ts";
import { useApi } from "../../api/use-api.ts";
import { useCode } from "../../ui/json/use-code.ts";
import { PageSkeleton } from "../../ui/page/page-skeleton.tsx";
import styles from "../workflows.module.css";
import { DifferenceText } from "./difference-text.tsx";

type Props = {
  workflow: string;
  /** `draft`, or the number of a version. */
  older: string;
  newer: string;
  difference: WorkflowDifference;
};

const loadGraph = () => import("../../pages/canvas/difference/difference-graph.tsx");

/** What differs between two bodies of a workflow, as a picture and as text. */
export function Difference(props: Props) {
  const { nodes, triggers, comments, edges } = props.difference;
  const items = [nodes, triggers, comments];
  const isDrawn =
    edges.added.length + edges.removed.length > 0 ||
    items.some(({ added, removed, changed }) => added.length + removed.length + changed.length > 0);
  return (
    <div className={styles.differences}>
      {isDrawn && <Picture {...props} />}
      <DifferenceText difference={props.difference} />
    </div>
  );
}

function Picture({ workflow, older, newer, difference }: Props) {
  const { code, hasFailed } = useCode(loadGraph);
  const before = useBody(workflow, older);
  const after = useBody(workflow, newer);
  // The text says the same, if the picture cannot be drawn.
  if (hasFailed || before.error !== null || after.error !== null) return null;
  if (code === null || before.body === undefined || after.body === undefined) {
    return (
      <div className={styles.pictureWait}>
        <PageSkeleton lines={4} />
      </div>
    );
  }
  const { DifferenceGraph } = code;
  return <DifferenceGraph older={before.body} newer={after.body} difference={difference} />;
}

function useBody(workflow: string, side: string) {
  const isDraft = side === "draft";
  const detail = useApi(
    "GET /manager/api/workflows/{workflow}",
    { params: { workflow } },
    { isOn: isDraft },
  );
  const version = useApi(
    "GET /manager/api/workflows/{workflow}/versions/{version}",
    { params: { workflow, version: Number(side) } },
    { isOn: !isDraft },
  );
  return isDraft
    ? { body: detail.data?.body, error: detail.error }
    : { body: version.data?.body, error: version.error };
}
