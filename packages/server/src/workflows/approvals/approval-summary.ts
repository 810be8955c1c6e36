import type {
  WorkflowApprovalSubject,
  WorkflowShownValue,
  WorkflowWillRun,
} from "@hub/contract/workflow-approval.ts";
import { parseToolId } from "../../operations/catalogue/tool-id.ts";
import type {
  ApprovalMark,
  ApprovalRecord,
} from "../../store/workflow-runs/workflow-approval-records.ts";
import { cutListed } from "./shown-values.ts";

/** What is stored of the nodes that follow. */
export type StoredWillRun = {
  shown: WorkflowWillRun[];
  more: number;
  values: WorkflowShownValue[];
};

/** What lists show of an approval. */
export type ApprovalSummary = {
  values: WorkflowShownValue[];
  subject: WorkflowApprovalSubject | null;
};

/** Lists read this, and not all of what will run. */
export function toSummaryText({ shown: [first], values }: StoredWillRun): string {
  const subject = first === undefined ? null : toSubject(first);
  return JSON.stringify({ values: cutListed(values), subject } satisfies ApprovalSummary);
}

/** Of an approval of a version before, lists know nothing, or only the row and the operation. */
export function readSummary({ summary }: Pick<ApprovalMark, "summary">): ApprovalSummary {
  if (summary === null) return { values: [], subject: null };
  const { values, subject }: ApprovalSummary = JSON.parse(summary);
  return { values, subject: subject && { ...noTarget, ...subject } };
}

/** What will run, also of an approval of a version before, which has no names. */
export function readWillRun(approval: Pick<ApprovalRecord, "willRun">): StoredWillRun {
  const { shown, more, values = [] }: StoredWillRun = JSON.parse(approval.willRun);
  return { shown: shown.map((node) => ({ ...toOlderNames(node), ...node })), more, values };
}

export function toSubject(node: WorkflowWillRun): WorkflowApprovalSubject {
  return {
    type: node.type,
    target: node.target,
    target_name: node.target_name,
    row_label: node.row_label,
    connector_key: node.connector_key,
    connector_name: node.connector_name,
    operation_name: node.operation_name,
    destructive: node.destructive,
  };
}

export const noNames = {
  row_label: null,
  connector_key: null,
  connector_name: null,
  operation_name: null,
  operation_description: null,
  target_name: null,
} as const;

const noTarget = { type: null, target: null, target_name: null } as const;

/** An operation was shown only if it was destructive. Its id has the key. */
function toOlderNames({ type, target }: Pick<WorkflowWillRun, "type" | "target">) {
  if (type !== "operation") return { ...noNames, destructive: false };
  const { operationKey = null } = parseToolId(target) ?? {};
  return { ...noNames, operation_name: operationKey, destructive: true };
}
