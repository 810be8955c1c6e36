import type { Json } from "@hub/connector";
import { escapeInvisible } from "@hub/contract/invisible-characters.ts";
import type { WorkflowWillRun } from "@hub/contract/workflow-approval.ts";
import type { WorkflowNode } from "@hub/contract/workflow-node.ts";
import { cutJson, cutTextAtCharacter } from "../../lib/json/cut-json.ts";
import { cutSealedText } from "../../operations/masking/cut-sealed-text.ts";
import { hideTokens } from "../engine/secrets/hide-tokens.ts";
import type { OperationFacts } from "../engine/step/node-effects.ts";
import { noNames } from "./approval-summary.ts";
import { findRequestHost } from "./find-request-host.ts";
import { type Seal, sealLines, sealTexts } from "./seal-lines.ts";

/** An approver reads all of a script, which has at most 64 KiB, with some input. */
const fieldsBytesMax = 80 * 1024;
const itemBytesMax = 2 * 1024;
const nameBytesMax = 400;
const descriptionBytesMax = 1024;

/** The operation that a node calls, as the owner of the workflow sees it. */
export type CalledOperation = OperationFacts & {
  rowLabel: string;
  connectorKey: string;
  connectorName: string;
  name: string;
  description: string;
};

type Names = Pick<
  WorkflowWillRun,
  | "row_label"
  | "connector_key"
  | "connector_name"
  | "operation_name"
  | "operation_description"
  | "target_name"
>;

/** A node that follows an approval. */
export type FollowingNode = {
  node: WorkflowNode;
  /** Null for a node that calls none, and for one that the owner does not see. */
  operation: CalledOperation | null;
  /** Of the workflow that a node runs. Null for other nodes, and for a workflow that the owner does not see. */
  workflowName: string | null;
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
  following: FollowingNode,
  bytesMax: number,
): Promise<WorkflowWillRun> {
  const { node, operation, fields, isRendered, dependsOn, usesTime, items, problem } = following;
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
    ...(await showNames(seal, following)),
    destructive: operation?.destructive ?? node.type === "operation",
    fields: shownFields,
    is_rendered: isRendered,
    is_cut: isCut,
    depends_on: dependsOn,
    uses_time: usesTime,
    items: items && { count: items.count, shown: shownItems },
    problem,
  };
}

/** Rows and operations are named by others than those who read this, also by outside systems. */
async function showNames(seal: Seal, following: FollowingNode): Promise<Names> {
  const { operation } = following;
  if (operation === null) return { ...noNames, target_name: await showTarget(seal, following) };
  const { rowLabel, connectorKey, connectorName, name, description } = operation;
  const lines = await sealLines(seal, [rowLabel, connectorName, name, description]);
  const [label, connector, title, about] = lines.map(escapeInvisible);
  const cut = (text = "", bytesMax = nameBytesMax) => cutTextAtCharacter(text, bytesMax);
  return {
    row_label: cut(label),
    connector_key: connectorKey,
    connector_name: cut(connector),
    operation_name: cut(title),
    operation_description: cut(about, descriptionBytesMax),
    target_name: null,
  };
}

/** The host of a request or the name of a workflow. */
async function showTarget(seal: Seal, following: FollowingNode): Promise<string | null> {
  const { node, workflowName, fields, isRendered, items } = following;
  if (node.type === "workflow" && workflowName !== null) {
    const [name = ""] = await sealLines(seal, [workflowName]);
    return cutTextAtCharacter(escapeInvisible(name), nameBytesMax);
  }
  if (node.type !== "http") return null;
  const { url = "" }: { url?: Json } = Object(fields);
  // The whole address is sealed before its host is read, because a host is written in lower case.
  const [text = ""] = await sealTexts(seal, [url]);
  // Each item has an address of its own, and the fields are templates.
  return findRequestHost(text, isRendered && items === null);
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
