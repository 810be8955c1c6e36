import type { WorkflowOpened } from "@hub/contract/workflow.ts";
import { workflowBodyLimits } from "@hub/contract/workflow-body-limits.ts";

/** Drafts may have more, which are not published. */
const { nodesMax, triggersMax } = workflowBodyLimits;

/**
 * The names of the secrets that a body needs: in its templates and for the signatures of webhooks. Any
 * draft can be read, also one with errors.
 */
export function listNeededSecrets(body: unknown): string[] {
  const names = new Set<string>();
  const rest: unknown[] = [body];
  while (rest.length > 0 && names.size < neededMax) {
    const value = rest.pop();
    if (typeof value === "string") addTemplateSecrets(names, value);
    else if (Array.isArray(value)) for (const item of value) rest.push(item);
    else if (typeof value === "object" && value !== null) {
      for (const member of Object.values(value)) rest.push(member);
    }
  }
  for (const trigger of listObjects(body, "triggers")) {
    if (typeof trigger.secret_ref === "string" && trigger.secret_ref !== "") {
      names.add(trigger.secret_ref);
    }
  }
  return [...names].filter((name) => namePattern.test(name)).sort();
}

/** Further names of a body that is built to be slow are left out: a workflow has fewer secrets. */
const neededMax = 1000;
const namePattern = /^[A-Za-z_]\w{0,63}$/;

/** A name is found anywhere in a text with a template. One too many does no harm. */
function addTemplateSecrets(names: Set<string>, text: string): void {
  if (!text.includes("{{")) return;
  for (const [, name = ""] of text.matchAll(/\.Secret\.([A-Za-z_]\w{0,63})/g)) names.add(name);
}

/** What the nodes of a body call. */
export function listOpened(body: unknown): WorkflowOpened[] {
  return listObjects(body, "nodes").flatMap(({ id, type, ...node }) => {
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
export function listNamed(body: unknown): { toolIds: string[]; workflowIds: string[] } {
  const toolIds = new Set<string>();
  const workflowIds = new Set<string>();
  for (const { type, target } of listOpened(body)) {
    if (type === "operation") toolIds.add(target);
    if (type === "workflow") workflowIds.add(target);
  }
  for (const { source_workflow: source } of listObjects(body, "triggers")) {
    if (typeof source === "string") workflowIds.add(source);
  }
  return { toolIds: [...toolIds], workflowIds: [...workflowIds] };
}

function listObjects(body: unknown, key: "nodes" | "triggers"): Record<string, unknown>[] {
  const list: unknown = Object(body)[key];
  if (!Array.isArray(list)) return [];
  const items = list.slice(0, key === "nodes" ? nodesMax : triggersMax);
  return items.filter((item) => typeof item === "object" && item !== null && !Array.isArray(item));
}
