import { toCodeSpan } from "@hub/contract/code-spans.ts";
import type { WorkflowExplanation } from "@hub/contract/workflow-explanation.ts";
import type { WorkflowNode } from "@hub/contract/workflow-node.ts";
import type { WorkflowTrigger } from "@hub/contract/workflow-trigger.ts";
import { findEffects } from "../engine/step/node-effects.ts";
import { buildGraph, type Graph } from "../validation/graph/body-graph.ts";
import { createPace } from "../validation/validation-pace.ts";
import type { ExplainWorld } from "./explain-world.ts";
import { findUnapproved } from "./find-unapproved.ts";
import { orderSteps } from "./order-steps.ts";
import { type BodyParts, readParts } from "./read-parts.ts";
import { findNodeOperation, summarizeNode } from "./summarize-node.ts";
import { summarizeTrigger } from "./summarize-trigger.ts";
import { toMarkdown } from "./to-markdown.ts";
import { toCount, toList } from "./words.ts";

/** A short summary of a body. Deterministic; its cost is linear in the body, and paid in portions. */
export async function explainBody(
  world: ExplainWorld,
  body: unknown,
): Promise<Omit<WorkflowExplanation, "version">> {
  const pace = createPace();
  const parts = await readParts(body, pace);
  const graph = buildGraph(parts);
  const entries = parts.triggers.map(({ entry }) => entry);
  const steps: WorkflowExplanation["steps"] = [];
  for (const id of orderSteps(graph, entries)) {
    await pace();
    const node = graph.nodes.get(id);
    if (node === undefined) continue;
    steps.push({
      node_id: id,
      label: node.label ?? null,
      type: node.type,
      changes: findEffects(node, findNodeOperation(world, node)).changes,
      sentences: [...summarizeStep(world, node), ...listNext(graph, id)],
    });
  }
  const triggers: WorkflowExplanation["triggers"] = [];
  for (const trigger of parts.triggers) {
    await pace();
    const { id, type, label = null } = trigger;
    triggers.push({ id, label, type, sentences: summarizeTrigger(world, trigger) });
  }
  const explained = {
    workflow_id: world.workflowId,
    summary: [
      summarize(world, parts.triggers, [...graph.nodes.values()]),
      ...listCautions(parts, findUnapproved(world, graph, entries)),
    ].join(" "),
    triggers,
    steps,
  };
  return { ...explained, markdown: toMarkdown(world.name, explained) };
}

/** What a step does; of one that is switched off, what it would do. */
function summarizeStep(world: ExplainWorld, node: WorkflowNode): string[] {
  const summary = summarizeNode(world, node);
  if (!node.disabled) return [summary];
  return [
    "It is switched off: it runs nothing and passes on the output of the step before it.",
    `When it is on: ${summary}`,
  ];
}

/** The steps that follow, each with the case in which it does. */
function listNext({ outgoing }: Graph, id: string): string[] {
  const next = (outgoing.get(id) ?? []).map(
    ({ to, case: name }) =>
      `${toCodeSpan(to)}${name === undefined ? "" : ` (${toCodeSpan(name)})`}`,
  );
  return next.length === 0 ? [] : [`Then ${toList(next)}.`];
}

const triggerWords: Record<WorkflowTrigger["type"], string> = {
  cron: "on a schedule",
  webhook: "by a request to a webhook",
  channel: "by an event of a chat",
  manual: "by hand",
  schedule_at: "at a time that an earlier run named",
  error: "when another run fails",
};

const namedMax = 6;
const unapprovedMax = 20;

function summarize(
  world: ExplainWorld,
  triggers: readonly WorkflowTrigger[],
  nodes: readonly WorkflowNode[],
): string {
  const starts = [...new Set(triggers.map(({ type }) => triggerWords[type]))];
  const changing = nodes.flatMap((node) => {
    const operation = findNodeOperation(world, node);
    if (node.type === "webhook_respond" || !findEffects(node, operation).changes) return [];
    return [nameEffect(world, node)];
  });
  const effects = [...new Set(changing)];
  const start =
    starts.length === 0
      ? "Nothing starts this workflow. It"
      : `This workflow starts ${toList(starts, "or")}. It`;
  const answers = nodes.some(({ type, disabled }) => type === "webhook_respond" && !disabled)
    ? " It answers the request."
    : "";
  const change =
    effects.length === 0
      ? "It changes nothing outside."
      : `It can change or send something: ${toList(effects, "and", namedMax)}.`;
  const owner = toCodeSpan(world.ownerEmail);
  return `${start} has ${toCount(nodes.length, "step")} and acts as ${owner}. ${change}${answers}`;
}

/** What its reader should know before others run it. */
function listCautions({ nodes, unreadable }: BodyParts, unapproved: readonly string[]): string[] {
  const ids = unapproved.map((id) => toCodeSpan(id));
  const off = nodes.filter(({ disabled }) => disabled).map(({ id }) => toCodeSpan(id));
  return [
    ...(off.length === 0 ? [] : [`Switched off: ${toList(off, "and", namedMax)}.`]),
    ...(ids.length === 0
      ? []
      : [`Without the approval of a person: ${toList(ids, "and", unapprovedMax)}.`]),
    ...(unreadable === 0
      ? []
      : [`Left out here, because it cannot be read: ${toCount(unreadable, "part")} of the body.`]),
  ];
}

function nameEffect(world: ExplainWorld, node: WorkflowNode): string {
  const operation = findNodeOperation(world, node);
  if (node.type === "http") return `${node.method} ${toCodeSpan(node.url, 80)}`;
  if (node.type === "workflow") return `the workflow ${toCodeSpan(node.workflow_id)}`;
  if (node.type === "channel")
    return `${toCodeSpan(node.op)} in the channel ${toCodeSpan(node.channel)}`;
  if (operation === null) return `what ${toCodeSpan(node.id)} calls`;
  return `${toCodeSpan(operation.operationName)} of ${toCodeSpan(operation.rowLabel)}`;
}
