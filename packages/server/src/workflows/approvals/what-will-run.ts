import { type Json, toJsonText } from "@hub/connector";
import type { WorkflowWillRun } from "@hub/contract/workflow-approval.ts";
import { nodeTemplateFields, type WorkflowNode } from "@hub/contract/workflow-node.ts";
import { HubError } from "../../errors.ts";
import { isUnavailable } from "../engine/claim/wait-for-database.ts";
import type { Plan } from "../engine/plan.ts";
import type { ItemScope } from "../engine/step/create-render.ts";
import { findEffects } from "../engine/step/node-effects.ts";
import { refuseStep } from "../engine/step/step-failure.ts";
import type { Template } from "../templates/parse/template-nodes.ts";
import { TemplateError } from "../templates/template-error.ts";
import { digestJson } from "./digest-json.ts";
import { findTemplateNeeds } from "./find-template-needs.ts";
import { type CalledOperation, type FollowingNode, showNode } from "./show-node.ts";

/** A run while one of its nodes asks for approval. */
export type Lookahead = {
  plan: Plan;
  parse(source: string): Template;
  /** Renders with what is known now. Throws TemplateError. */
  render(value: Json, scope: ItemScope | null): Promise<Json>;
  /** Whether the output of a node is known, or the node does not run. */
  isCompleted(nodeId: string): boolean;
};

type WillRunDeps = Lookahead & {
  /**
   * The operation of a row that a node calls, as the owner sees it; null if there is none. The row's secrets are
   * masked from now on.
   */
  findOperation(node: WorkflowNode): Promise<CalledOperation | null>;
  /** The name of a workflow, as the owner sees it; null if there is none. */
  findWorkflowName(id: string): Promise<string | null>;
  /** Replaces the secrets that the run has met. */
  seal(value: Json): Promise<Json>;
};

/** The digests that a node is compared with when it runs. A part that could not be rendered has none. */
export type ExpectedNode = {
  fields?: string;
  /** Of the list of `for_each`, and of its first items. */
  list?: string;
  items?: string[];
};

type FoundNode = Pick<FollowingNode, "node" | "operation">;
type NamedNode = FoundNode & Pick<FollowingNode, "workflowName">;

type OpenedNode = FollowingNode & { expected: ExpectedNode };

export type WillRun = {
  shown: WorkflowWillRun[];
  /** How many further nodes there are. */
  more: number;
  /** By node, also those that are not shown. */
  expected: Record<string, ExpectedNode>;
  /** The nearest one; null if there is none. */
  first: FollowingNode | null;
};

/** Equals no digest. */
const notRendered = "";

const nodesShownMax = 100;
const itemsShownMax = 20;
/** What the nodes get, together. */
const renderedCharsMax = 32 * 1024 * 1024;
/** What is shown of all nodes together. */
const allBytesMax = 256 * 1024;
const bytesMin = 512;

/** The nodes that follow on `approved` and change something outside their run, with what they get. */
export async function findWillRun(deps: WillRunDeps, approvalId: string): Promise<WillRun> {
  const found: FoundNode[] = [];
  // The rows of all of them are known before the first one is shown, so that no secret of them is.
  for (const id of listFollowing(deps.plan, approvalId)) {
    const node = deps.plan.graph.nodes.get(id);
    if (node === undefined) continue;
    const operation = await deps.findOperation(node);
    const changes = findEffects(node, operation).changes || schedules(deps.plan, node);
    if (changes) found.push({ node, operation });
  }
  const expected: WillRun["expected"] = Object.create(null);
  const shown: WorkflowWillRun[] = [];
  const render = boundRender(deps.render);
  let first: FollowingNode | null = null;
  let bytesLeft = allBytesMax;
  // One after the other, because the fields of each may be large.
  for (const one of found) {
    const isShown = shown.length < nodesShownMax;
    const workflowName =
      isShown && one.node.type === "workflow"
        ? await deps.findWorkflowName(one.node.workflow_id)
        : null;
    const opened = await openNode({ ...deps, render }, { ...one, workflowName });
    first ??= opened;
    expected[one.node.id] = opened.expected;
    if (!isShown) continue;
    const made = await showNode(deps, opened, Math.max(bytesLeft, bytesMin));
    bytesLeft -= Buffer.byteLength(JSON.stringify([made.fields, made.items]));
    shown.push(made);
  }
  return { shown, more: found.length - shown.length, expected, first };
}

/** Whether the body says that the output of a node names the time of a run that it schedules. */
export function schedules({ hasScheduleTrigger }: Plan, node: WorkflowNode): boolean {
  if (!hasScheduleTrigger || node.type !== "set" || node.disabled) return false;
  const { value } = node;
  return typeof value === "object" && value !== null && Object.hasOwn(value, "schedule_at");
}

/** Renders until the fields of all nodes are too large together. */
function boundRender(render: Lookahead["render"]): Lookahead["render"] {
  let charsLeft = renderedCharsMax;
  return async (value, scope) => {
    const rendered = await render(value, scope);
    charsLeft -= toJsonText(rendered).length;
    if (charsLeft >= 0) return rendered;
    throw refuseStep(
      "What follows the approval is larger than 32 MiB, so it cannot be shown. Pass on less, or ask before a node with fewer items.",
    );
  };
}

/** The nodes that an approval leads to along `approved`, the nearest first. */
export function listFollowing({ graph }: Pick<Plan, "graph">, approvalId: string): string[] {
  const first = (graph.outgoing.get(approvalId) ?? []).filter((edge) => edge.case === "approved");
  const found = new Set(first.map(({ to }) => to));
  // A set is walked in the order in which it grows.
  for (const id of found) for (const { to } of graph.outgoing.get(id) ?? []) found.add(to);
  return [...found];
}

/** The fields of a node that are rendered for each of its items. */
export function readFields(node: WorkflowNode): Record<string, Json> {
  const fields: Record<string, Json> = {};
  // Each type has fields of its own, which the compiler does not follow.
  const values = node as Record<string, unknown>;
  for (const name of nodeTemplateFields[node.type]) {
    const value = values[name];
    // Safe: the body is JSON.
    if (name !== "for_each" && value !== undefined) fields[name] = value as Json;
  }
  return fields;
}

async function openNode(deps: WillRunDeps, found: NamedNode): Promise<OpenedNode> {
  const { node, operation } = found;
  const isUnknown = node.type === "operation" && operation === null;
  const problem = isUnknown ? "The owner of the workflow has no such operation." : null;
  const templates = readFields(node);
  const unknown = {
    ...found,
    expected: {},
    fields: templates,
    isRendered: false,
    items: null,
    dependsOn: [],
    usesTime: false,
    problem,
  };
  const list = "for_each" in node ? node.for_each : undefined;
  try {
    const needs = findTemplateNeeds([templates, list ?? null], deps.parse);
    const ids = needs.readsAllNodes ? deps.plan.graph.nodes.keys() : needs.nodes;
    const dependsOn = [...ids].filter((id) => id !== node.id && !deps.isCompleted(id));
    const opened = { ...unknown, dependsOn, usesTime: needs.usesTime };
    if (dependsOn.length > 0 || needs.usesTime) return opened;
    if (list !== undefined) return await openItems(deps, opened, list);
    const fields = await deps.render(templates, null);
    return { ...opened, fields, isRendered: true, expected: { fields: digestJson(fields) } };
  } catch (thrown) {
    if (!(thrown instanceof TemplateError)) throw thrown;
    // If it can be rendered later, it gives something that was not shown.
    return { ...unknown, expected: { fields: notRendered }, problem: thrown.message };
  }
}

/** A node with `for_each` is compared by its whole list, and by what its first items get. */
async function openItems(
  deps: WillRunDeps,
  opened: OpenedNode,
  source: string,
): Promise<OpenedNode> {
  const list = await deps.render(source, null);
  const expected = { list: digestJson(list) };
  if (!Array.isArray(list)) {
    return { ...opened, expected, problem: "`for_each` does not give a list." };
  }
  const shown = await renderItems(deps, opened.node, list, itemsShownMax);
  const items = shown.map(digestJson);
  return {
    ...opened,
    isRendered: true,
    expected: { ...expected, items },
    items: { count: list.length, shown },
  };
}

/** What the first items of a node get. */
export async function renderItems(
  { render }: Pick<Lookahead, "render">,
  node: WorkflowNode,
  list: readonly Json[],
  count: number,
): Promise<Json[]> {
  const rendered: Json[] = [];
  for (const [index, item] of list.slice(0, count).entries()) {
    rendered.push(await render(readFields(node), { item, index }));
  }
  return rendered;
}

/** The operation that the owner sees, or null. Throws only if the database cannot be read. */
export async function findVisible<Tool>(find: () => Promise<Tool>): Promise<Tool | null> {
  try {
    return await find();
  } catch (thrown) {
    if (thrown instanceof HubError && !isUnavailable(thrown)) return null;
    throw thrown;
  }
}
