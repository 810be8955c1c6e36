import type { WorkflowOpened } from "@hub/contract/workflow.ts";
import { workflowBodyLimits } from "@hub/contract/workflow-body-limits.ts";

/** Drafts may have more, which are not published. */
const { nodesMax, triggersMax } = workflowBodyLimits;

/** What runs of a body can call: not what is switched off. */
export function listOpened(body: unknown): WorkflowOpened[] {
  return toTargets(listObjects(body, "nodes").filter(({ disabled }) => disabled !== true));
}

/** What the nodes of a body name, also those that are switched off. */
export function listTargets(body: unknown): WorkflowOpened[] {
  return toTargets(listObjects(body, "nodes"));
}

function toTargets(nodes: readonly Record<string, unknown>[]): WorkflowOpened[] {
  return nodes.flatMap(({ id, type, ...node }) => {
    const target = findTarget(String(type), node);
    if (target === null) return [];
    return [{ node: String(id), type: String(type), target: target.slice(0, targetCharsMax) }];
  });
}

/** Addresses may be long templates. */
const targetCharsMax = 500;

function findTarget(type: string, node: Record<string, unknown>): string | null {
  const toText = (value: unknown) => (typeof value === "string" ? value : "");
  switch (type) {
    case "operation":
      return toText(node.tool_id);
    case "workflow":
      return toText(node.workflow_id);
    case "http":
      return `${toText(node.method) || "GET"} ${toText(node.url)}`;
    case "channel":
      return `${toText(node.channel)} ${toText(node.op)}`;
    default:
      return null;
  }
}

/** The ids of the operations and workflows that a body names, also those whose errors start it. */
export function listNamed(body: unknown): {
  toolIds: string[];
  workflowIds: string[];
  /** Whether a trigger or a node names a channel. */
  hasChannels: boolean;
} {
  const toolIds = new Set<string>();
  const workflowIds = new Set<string>();
  for (const { type, target } of listTargets(body)) {
    if (type === "operation") toolIds.add(target);
    if (type === "workflow") workflowIds.add(target);
  }
  for (const { source_workflow: source } of listObjects(body, "triggers")) {
    if (typeof source === "string") workflowIds.add(source);
  }
  const hasChannels = (["triggers", "nodes"] as const).some((key) =>
    listObjects(body, key).some(({ type }) => type === "channel"),
  );
  return { toolIds: [...toolIds], workflowIds: [...workflowIds], hasChannels };
}

/** The items of a list of a body that are objects. Any draft can be read, also one with errors. */
export function listObjects(body: unknown, key: "nodes" | "triggers"): Record<string, unknown>[] {
  const list: unknown = Object(body)[key];
  if (!Array.isArray(list)) return [];
  const items = list.slice(0, key === "nodes" ? nodesMax : triggersMax);
  return items.filter((item) => typeof item === "object" && item !== null && !Array.isArray(item));
}
