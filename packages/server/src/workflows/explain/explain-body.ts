import { toCodeSpan } from "@hub/contract/code-spans.ts";
import type { WorkflowExplanation } from "@hub/contract/workflow-explanation.ts";
import type { WorkflowNode } from "@hub/contract/workflow-node.ts";
import type { WorkflowTrigger } from "@hub/contract/workflow-trigger.ts";
import { findEffects } from "../engine/node-effects.ts";
import { listNeededSecrets } from "../record/list-needed-secrets.ts";
import { buildGraph } from "../validation/graph.ts";
import { createPace } from "../validation/pace.ts";
import { explainNode, findNodeOperation } from "./explain-node.ts";
import { explainArrival, explainDeparture } from "./explain-routes.ts";
import { explainSettings } from "./explain-settings.ts";
import { explainTrigger } from "./explain-trigger.ts";
import type { ExplainWorld } from "./explain-world.ts";
import { findNotes } from "./find-notes.ts";
import { orderSteps } from "./order-steps.ts";
import { readParts } from "./read-parts.ts";
import { toMarkdown } from "./to-markdown.ts";
import { toCount, toList } from "./words.ts";

/** A body in words. Deterministic; its cost is linear in the body, and paid in portions. */
export async function explainBody(
  world: ExplainWorld,
  body: unknown,
): Promise<Omit<WorkflowExplanation, "version">> {
  const pace = createPace();
  const parts = await readParts(body, pace);
  const graph = buildGraph(parts);
  const triggersOf = new Map<string, string[]>();
  for (const { id, entry } of parts.triggers) {
    triggersOf.set(entry, [...(triggersOf.get(entry) ?? []), id]);
  }
  const steps: WorkflowExplanation["steps"] = [];
  for (const id of orderSteps(
    graph,
    parts.triggers.map(({ entry }) => entry),
  )) {
    await pace();
    const node = graph.nodes.get(id);
    if (node === undefined) continue;
    steps.push({
      node_id: id,
      label: node.label ?? null,
      type: node.type,
      changes: findEffects(node, findNodeOperation(world, node)).changes,
      sentences: [
        ...explainArrival(graph, id, triggersOf.get(id) ?? []),
        ...explainNode(world, node),
        ...explainDeparture(graph, node),
      ],
    });
  }
  const triggers: WorkflowExplanation["triggers"] = [];
  for (const trigger of parts.triggers) {
    await pace();
    const { id, type, label = null } = trigger;
    triggers.push({ id, label, type, sentences: explainTrigger(world, trigger) });
  }
  const explained = {
    workflow_id: world.workflowId,
    summary: summarize(world, parts.triggers, [...graph.nodes.values()]),
    triggers,
    steps,
    settings: explainSettings(world, parts.settings),
    notes: findNotes(world, parts, graph, listNeededSecrets(body)),
  };
  return { ...explained, markdown: toMarkdown(world.name, explained) };
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
  const answers = nodes.some(({ type }) => type === "webhook_respond")
    ? " It answers the request."
    : "";
  const change =
    effects.length === 0
      ? "It changes nothing outside."
      : `It can change or send something: ${toList(effects, "and", namedMax)}.`;
  return `${start} has ${toCount(nodes.length, "step")}. ${change}${answers}`;
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
