import { toCodeSpan } from "@hub/contract/code-spans.ts";
import type { NodeOf, WorkflowNode } from "@hub/contract/workflow-node.ts";
import { emailSchema } from "../../lib/input/check-input.ts";
import { parseToolId } from "../../operations/catalogue/tool-id.ts";
import { parsePlaceholder } from "../validation/parse-placeholder.ts";
import type { ExplainedOperation, ExplainWorld } from "./explain-world.ts";
import { toCount, toDuration, toList } from "./words.ts";

/** The operation that a node calls, as far as the reader sees it. */
export function findNodeOperation(
  world: ExplainWorld,
  node: WorkflowNode,
): ExplainedOperation | null {
  if (node.type === "operation") return world.findOperation(node.tool_id);
  return node.type === "channel" ? world.findAction(node.channel, node.op) : null;
}

/** What a node does, in one sentence. */
export function summarizeNode(world: ExplainWorld, node: WorkflowNode): string {
  switch (node.type) {
    case "operation":
      return summarizeOperation(world, node);
    case "http":
      return `Sends a ${node.method} request to ${toCodeSpan(node.url, 300)}.`;
    case "branch":
      return `Checks ${toCount(node.conditions.length, "condition")}.`;
    case "switch":
      return `Chooses one of ${toCount(node.cases.length, "case")}.`;
    case "set":
      return "Sets its output.";
    case "code":
      return "Runs a script.";
    case "wait":
      return `Waits${typeof node.seconds === "number" ? ` ${toDuration(node.seconds)}` : ""}.`;
    case "approval":
      return summarizeApproval(node);
    case "workflow": {
      const name = world.findWorkflowName(node.workflow_id) ?? node.workflow_id;
      return `Runs the workflow ${toCodeSpan(name)}.`;
    }
    case "channel": {
      const label = world.findChannelLabel(node.channel) ?? node.channel;
      return `Sends ${toCodeSpan(node.op)} to the channel ${toCodeSpan(label)}.`;
    }
    case "webhook_respond":
      return "Answers the request.";
    case "fail":
      return `Fails the run: ${toCodeSpan(node.message, 300)}`;
  }
}

function summarizeOperation(world: ExplainWorld, { tool_id: toolId }: NodeOf<"operation">): string {
  const operation = world.findOperation(toolId);
  if (operation !== null) {
    const { operationName, rowLabel, connectorName } = operation;
    return `Calls ${toCodeSpan(operationName)} of the row ${toCodeSpan(rowLabel)} (${toCodeSpan(connectorName)}).`;
  }
  const open = parsePlaceholder(toolId);
  if (open !== null) {
    return `Calls ${toCodeSpan(open.operationKey)} of a row of ${toCodeSpan(open.connectorKey)}, which is not chosen yet.`;
  }
  const address = parseToolId(toolId);
  if (address === null) return `Calls ${toCodeSpan(toolId)}, which is no operation.`;
  return `Calls ${toCodeSpan(address.operationKey)} of the row ${toCodeSpan(address.rowId)}, of which you see no more.`;
}

function summarizeApproval({ title, approvers }: NodeOf<"approval">): string {
  const tags = approvers.tags.map((tag) => toCodeSpan(tag));
  const people = [
    ...(tags.length === 0 ? [] : [`users with the tag ${toList(tags, "or")}`]),
    ...approvers.users.map((user) => {
      const isNamed = emailSchema.safeParse(user).success;
      return isNamed ? toCodeSpan(user) : `${toCodeSpan(user)} (no e-mail address, so no approver)`;
    }),
  ];
  return `Asks ${people.length === 0 ? "no approvers" : toList(people, "or")} to decide: ${toCodeSpan(title, 300)}`;
}
