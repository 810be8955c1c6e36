import type { WorkflowApprovalSubject, WorkflowWillRun } from "@hub/contract/workflow-approval.ts";
import { formatNumber } from "../../ui/text/format.ts";
import { findItemType } from "../canvas/graph/item-types.ts";

/** What an approval is about. */
export type Asked = {
  subject: WorkflowApprovalSubject | null;
  /** Not in lists. */
  will_run?: readonly WorkflowWillRun[];
  will_run_more?: number;
};

/** The system on which the first step acts, and what it does there. */
export type Subject = {
  /** The label of the row. For a step without a row, what it is, such as "HTTP request". */
  system: string;
  /** The connector of the row. Null for a step without a row. */
  connector: { key: string; name: string } | null;
  /** The name of the operation, or of the step. */
  action: string;
  description: string | null;
  isDestructive: boolean;
};

/** Null if nothing follows that changes something, or if it may not be known. */
export function readSubject({ subject, will_run: nodes }: Asked): Subject | null {
  const node = nodes?.[0];
  const names = subject ?? node;
  if (names === undefined) return null;
  const { row_label: row, connector_key: key, connector_name: name } = names;
  const { operation_name: operation, destructive: isDestructive } = names;
  const description = node?.operation_description ?? null;
  if (row !== null) {
    return {
      system: row,
      connector: key === null ? null : { key, name: name ?? key },
      action: operation ?? (node === undefined ? "" : toStepName(node)),
      description,
      isDestructive,
    };
  }
  if (node === undefined) return null;
  const { id, type } = { id: node.node_id, type: node.type };
  const system = findItemType({ id, type }, false).name;
  return { system, connector: null, action: describeStep(node), description, isDestructive };
}

/** What else one must know before one decides: how often it runs, what is open, and what follows. */
export function listNotes({
  will_run: nodes = [],
  will_run_more: more = 0,
}: Omit<Asked, "subject">): string[] {
  const [node] = nodes;
  if (node === undefined) return [];
  const others = nodes.length - 1 + more;
  return [
    ...(node.items === null ? [] : [`It runs ${formatNumber(node.items.count)} times.`]),
    ...(node.is_rendered ? [] : ["What it gets is not known yet."]),
    ...(others === 0
      ? []
      : [
          `${formatNumber(others)} more ${others === 1 ? "step that changes" : "steps that change"} something ${others === 1 ? "follows" : "follow"}.`,
        ]),
  ];
}

function toStepName({ label, node_id: id }: WorkflowWillRun): string {
  return label ?? id;
}

function describeStep(node: WorkflowWillRun): string {
  const name = toStepName(node);
  return node.target === "" ? name : `${name}: ${node.target}`;
}
