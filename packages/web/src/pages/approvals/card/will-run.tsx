import type { WorkflowApprovalDetail, WorkflowWillRun } from "@hub/contract/workflow-approval.ts";
import { Alert } from "@mantine/core";
import { Badge } from "../../../ui/badges/badge.tsx";
import { DestructiveBadge } from "../../../ui/badges/destructive-badge.tsx";
import { JsonTree } from "../../../ui/json/json-tree.tsx";
import { formatNumber } from "../../../ui/text/format.ts";
import { findItemType } from "../../canvas/graph/item-types.ts";
import styles from "../approvals.module.css";

type Props = Pick<WorkflowApprovalDetail, "will_run" | "will_run_more">;

/** What follows on an approval and changes something, as far as it is known now. */
export function WillRun({ will_run: nodes, will_run_more: more }: Props) {
  if (nodes.length === 0) {
    return <p>Nothing that changes something: no message, no write, no other workflow.</p>;
  }
  return (
    <>
      <ol className={styles.nodes}>
        {nodes.map((node) => (
          <li key={node.node_id}>
            <Node node={node} />
          </li>
        ))}
      </ol>
      {more > 0 && (
        <Alert color="yellow">{`And ${formatNumber(more)} more that are not shown here.`}</Alert>
      )}
    </>
  );
}

function Node({ node }: { node: WorkflowWillRun }) {
  const { node_id: id, label, type, target, fields, items } = node;
  const { row_label: row, operation_name: operation, operation_description: about } = node;
  const { target_name: targetName } = node;
  const name = label ?? id;
  return (
    <section className={styles.node} aria-label={name}>
      <h3>
        <bdi>{name}</bdi>
        <span className={styles.soft}>
          {`${findItemType({ id, type }, false).name} · `}
          <code>{target}</code>
        </span>
        {node.destructive && <DestructiveBadge />}
        {node.is_rendered ? <Badge tone="info">Exactly this</Badge> : <Badge>Not known yet</Badge>}
      </h3>
      {row !== null && (
        <p>
          <bdi>{row}</bdi>
          {" · "}
          <bdi>{operation ?? target}</bdi>
        </p>
      )}
      {targetName !== null && (
        <p>
          <bdi>{targetName}</bdi>
        </p>
      )}
      {about !== null && about !== "" && (
        <p className={styles.details}>
          <bdi>{about}</bdi>
        </p>
      )}
      <p className={styles.soft}>{describeFields(node)}</p>
      {items !== null && (
        <p className={styles.soft}>
          {`It runs ${formatNumber(items.count)} times. ${
            items.shown.length < items.count
              ? `The first ${formatNumber(items.shown.length)} are shown.`
              : ""
          }`}
        </p>
      )}
      <JsonTree
        isExact
        value={items === null ? fields : items.shown}
        label={node.is_rendered ? `What ${name} gets` : `Templates of ${name}`}
      />
    </section>
  );
}

/** What the fields are: the values themselves, or templates and why they are not rendered. */
function describeFields(node: WorkflowWillRun): string {
  const cut = node.is_cut ? " Only a part is shown." : "";
  if (node.is_rendered) {
    return `It fails if it would get anything else when it runs.${cut}`;
  }
  const { depends_on: needs, uses_time: usesTime, problem } = node;
  const reasons = [
    ...(needs.length === 0 ? [] : [`they need the output of ${needs.join(", ")}`]),
    ...(usesTime ? ["they read the time at which it runs"] : []),
    ...(problem === null ? [] : [problem]),
  ];
  const why = reasons.length === 0 ? "" : `: ${reasons.join("; ")}`;
  return `These are templates, whose values are not known before it runs${why.replace(/\.$/, "")}. They are not compared with what runs.${cut}`;
}
