import type { IconName } from "@hub/contract/icons.ts";
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
  /** The label of the row, the host of a request, or the name of a workflow. Else as `kind`. */
  system: string;
  /** The name of the connector, or what the step is, such as "HTTP request". */
  kind: string;
  /** Of a row. Null for a step without a row, which has an icon. */
  connectorKey: string | null;
  icon: IconName;
  /** The name of the operation; the name of the step, and its method. Empty for other steps in a list. */
  action: string;
  description: string | null;
  isDestructive: boolean;
};

/** Null if nothing follows that changes something, or if it may not be known. */
export function readSubject({ subject, will_run: nodes }: Asked): Subject | null {
  const node = nodes?.[0];
  const names = node ?? subject;
  if (names === null) return null;
  const { row_label: row, connector_key: connectorKey, connector_name: connector } = names;
  const { operation_name: operation, target_name: target, destructive: isDestructive } = names;
  const { type } = names;
  if (row === null && type === null) return null;
  const { name, icon } = findItemType({ id: "", type: type ?? "operation" }, false);
  const step = node === undefined ? "" : (node.label ?? node.node_id);
  const description = node?.operation_description ?? null;
  if (row !== null) {
    const kind = connector ?? connectorKey ?? name;
    return {
      system: row,
      kind,
      connectorKey,
      icon,
      action: operation ?? step,
      description,
      isDestructive,
    };
  }
  const called = describeTarget(names);
  const action = [step, called].filter((part) => part !== "").join(": ");
  return {
    system: target ?? name,
    kind: name,
    connectorKey: null,
    icon,
    action,
    description,
    isDestructive,
  };
}

/** What a step without a row calls: a method, or the id of a workflow whose name is not known. */
function describeTarget({
  type,
  target,
  target_name: name,
}: Pick<WorkflowApprovalSubject, "type" | "target" | "target_name">): string {
  return type === "workflow" && name !== null ? "" : (target ?? "");
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
