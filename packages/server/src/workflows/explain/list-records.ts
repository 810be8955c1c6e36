import { parseJson } from "@hub/connector";
import { toCodeSpan } from "@hub/contract/code-spans.ts";
import { toTimeText } from "@hub/contract/time.ts";
import type { WorkflowDiagnosis } from "@hub/contract/workflow-explanation.ts";
import type { WorkflowNode } from "@hub/contract/workflow-node.ts";
import type { Caller } from "../../caller.ts";
import { isVisible } from "../../connectors/rows/row-visibility.ts";
import { parseToolId } from "../../operations/catalogue/tool-id.ts";
import { type ChangeRecord, listChanges } from "../../store/changes-table.ts";
import type { Db } from "../../store/database/database.ts";
import type { RowRecord } from "../../store/rows/row-record.ts";
import { findRow, listChannelRows } from "../../store/rows/rows-table.ts";
import { findWorkflow, type WorkflowRecord } from "../../store/workflows/workflows-table.ts";
import { findChannel } from "../channels/find-channel.ts";
import { findAccess } from "../definition/workflow-access.ts";
import { showData } from "./show-data.ts";

type ChangeOfUse = NonNullable<WorkflowDiagnosis["changes"]>["records"][number];
type Span = { from: number; to: number };

/** Changes of one target. */
const perTargetMax = 20;
const recordsMax = 50;

/**
 * The recorded changes of what a step uses, newest first. The record of changes belongs to admins. Others see
 * that something which they see was changed, and when; not by whom, and no values.
 */
export async function listRecords(
  db: Db,
  caller: Caller,
  workflow: WorkflowRecord,
  node: WorkflowNode | null,
  span: Span,
): Promise<ChangeOfUse[]> {
  const isAdmin = caller.role === "admin";
  const targets = await listTargets(db, caller, workflow, node);
  const found: { change: ChangeRecord; text: string }[] = [];
  for (const { kind, id, describe } of targets) {
    const changes = await listChanges(db, {
      targetKind: kind,
      ...(id !== null && { targetId: id }),
      changedFrom: span.from,
      changedBefore: span.to + 1,
      limit: perTargetMax,
    });
    for (const change of changes) {
      const text = describe(change);
      if (text !== null) found.push({ change, text });
    }
  }
  return found
    .sort((one, other) => other.change.changedAt - one.change.changedAt)
    .slice(0, recordsMax)
    .map(({ change, text }) => ({
      at: toTimeText(change.changedAt),
      text: isAdmin ? `${text}${describeDetail(change)}.` : `${text}.`,
      by: isAdmin ? change.actor : null,
    }));
}

type Target = {
  kind: string;
  /** Null for all of this kind. */
  id: string | null;
  /** Null for changes without effect on runs. */
  describe(change: ChangeRecord): string | null;
};

async function listTargets(
  db: Db,
  caller: Caller,
  workflow: WorkflowRecord,
  node: WorkflowNode | null,
): Promise<Target[]> {
  const isAdmin = caller.role === "admin";
  const targets: Target[] = [
    { kind: "workflow", id: workflow.id, describe: (change) => describeWorkflowChange(change) },
  ];
  // Others may see the change of their own account only.
  if (isAdmin || caller.userId === workflow.ownerId) {
    targets.push({
      kind: "user",
      id: workflow.ownerId,
      describe: ({ action }) => describeUserChange(action),
    });
  }
  const row = node === null ? null : await findNodeRow(db, caller, node);
  if (row !== null) targets.push(...listRowTargets(row, isAdmin));
  if (node?.type === "operation" && row === null && isAdmin) {
    // A row that was deleted has its changes still.
    const id = parseToolId(node.tool_id)?.rowId;
    if (id !== undefined) targets.push(toRowTarget(id, null));
  }
  if (node?.type === "workflow") {
    const other = await findWorkflow(db, node.workflow_id);
    const access = other && findAccess(caller, other);
    if (access === "manage") {
      const name = toCodeSpan(node.workflow_id);
      targets.push({
        kind: "workflow",
        id: node.workflow_id,
        describe: (change) => describeWorkflowChange(change, `the workflow ${name}`),
      });
    }
  }
  if (isAdmin) {
    targets.push({
      kind: "setting",
      id: null,
      describe: ({ target }) => `The setting ${toCodeSpan(target)} of the hub was changed`,
    });
  }
  return targets;
}

/** The row that a node calls, if the caller sees it. */
async function findNodeRow(db: Db, caller: Caller, node: WorkflowNode): Promise<RowRecord | null> {
  if (node.type === "channel") {
    return findChannel(await listChannelRows(db, {}), caller, node.channel);
  }
  const address = node.type === "operation" ? parseToolId(node.tool_id) : null;
  const row = address && (await findRow(db, address.rowId));
  return row !== null && isVisible(caller, row) ? row : null;
}

function listRowTargets(row: RowRecord, isAdmin: boolean): Target[] {
  return [
    // Its name at that time may be one that only admins knew.
    toRowTarget(row.id, isAdmin ? null : row.label),
    {
      kind: "connector",
      id: row.connectorKey,
      describe: ({ action }) =>
        `The connector ${toCodeSpan(row.connectorKey)} was ${action.endsWith(".disable") ? "disabled" : "enabled"}`,
    },
    {
      kind: "plugin",
      id: row.connectorKey,
      describe: ({ action }) =>
        `The plugin ${toCodeSpan(row.connectorKey)} was ${pluginVerbs.get(action) ?? "changed"}`,
    },
  ];
}

function toRowTarget(id: string, label: string | null): Target {
  return {
    kind: "row",
    id,
    describe: ({ action, target }) => {
      const verb = rowVerbs.get(action) ?? "was changed";
      return `The row ${toCodeSpan(label ?? target)} ${verb}`;
    },
  };
}

const rowVerbs = new Map([
  ["row.disable", "was disabled"],
  ["row.enable", "was enabled"],
  ["row.delete", "was deleted"],
  ["row.create", "was created"],
  ["operation.disable", "has an operation that was disabled"],
  ["operation.enable", "has an operation that was enabled"],
  ["rule.set", "has a rule that was set"],
  ["rule.delete", "has a rule that was removed"],
]);

const pluginVerbs = new Map([
  ["plugin.install", "installed"],
  ["plugin.update", "updated"],
  ["plugin.remove", "removed"],
  ["plugin.disable", "disabled"],
  ["plugin.enable", "enabled"],
]);

function describeUserChange(action: string): string | null {
  switch (action) {
    case "user.update":
      return "The account of the owner was changed";
    case "user.disable":
      return "The account of the owner was disabled";
    case "user.enable":
      return "The account of the owner was enabled";
    default:
      return null;
  }
}

function describeWorkflowChange(
  { action, detail }: ChangeRecord,
  what = "the workflow",
): string | null {
  const name: unknown = Object(parseJson(detail)).secret;
  const secret = typeof name === "string" ? ` ${toCodeSpan(name)}` : "";
  const subject = `${what.charAt(0).toUpperCase()}${what.slice(1)}`;
  switch (action) {
    case "workflow.set_secret":
      return `The secret${secret} of ${what} was set`;
    case "workflow.remove_secret":
      return `The secret${secret} of ${what} was removed`;
    case "workflow.publish":
      return `${subject} was published`;
    case "workflow.update":
      return `${subject} was changed`;
    case "workflow.accept":
      return `${subject} got another owner`;
    case "workflow.enable":
      return `${subject} was enabled`;
    case "workflow.disable":
      return `${subject} was disabled`;
    default:
      return null;
  }
}

/** What changed, for admins. */
function describeDetail({ action, detail }: ChangeRecord): string {
  // The sentence names the secret already.
  return detail === "{}" || action.endsWith("_secret")
    ? ""
    : `: ${showData(parseJson(detail), 300)}`;
}
