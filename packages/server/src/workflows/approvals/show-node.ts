import type { Json } from "@hub/connector";
import type { WorkflowWillRun } from "@hub/contract/workflow-approval.ts";
import type { WorkflowNode } from "@hub/contract/workflow-node.ts";
import { cutJson } from "../../lib/json/cut-json.ts";
import { cutSealedText } from "../../operations/masking/cut-sealed-text.ts";
import { hideTokens } from "../engine/secrets/hide-tokens.ts";

/** An approver reads all of a script, which has at most 64 KiB, with some input. */
const fieldsBytesMax = 80 * 1024;
const itemBytesMax = 2 * 1024;

/** A node that follows an approval. */
export type FollowingNode = {
  node: WorkflowNode;
  /** What is shown: rendered, or the templates. */
  fields: Json;
  isRendered: boolean;
  dependsOn: string[];
  usesTime: boolean;
  items: { count: number; shown: Json[] } | null;
  problem: string | null;
};

/** The node as its approvers see it: sealed, and cut to a size. */
export async function showNode(
  { seal }: { seal(value: Json): Promise<Json> },
  { node, fields, isRendered, dependsOn, usesTime, items, problem }: FollowingNode,
  bytesMax: number,
): Promise<WorkflowWillRun> {
  let isCut = false;
  const show = async (value: Json, valueBytesMax: number) => {
    const hidden = hideTokens(await seal(value));
    const cut = cutJson(hidden, Math.min(valueBytesMax, bytesMax), cutSealedText);
    isCut ||= cut !== hidden;
    return cut;
  };
  const shownFields = await show(fields, fieldsBytesMax);
  const shownItems: Json[] = [];
  for (const item of items?.shown ?? []) shownItems.push(await show(item, itemBytesMax));
  return {
    node_id: node.id,
    label: node.label ?? null,
    type: node.type,
    target: toTarget(node),
    fields: shownFields,
    is_rendered: isRendered,
    is_cut: isCut,
    depends_on: dependsOn,
    uses_time: usesTime,
    items: items && { count: items.count, shown: shownItems },
    problem,
  };
}

function toTarget(node: WorkflowNode): string {
  switch (node.type) {
    case "operation":
      return node.tool_id;
    case "http":
      return node.method;
    case "workflow":
      return node.workflow_id;
    case "channel":
      return `${node.channel} ${node.op}`;
    case "set":
      return "schedule_at";
    default:
      return "";
  }
}
