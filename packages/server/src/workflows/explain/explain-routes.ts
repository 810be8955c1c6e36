import { toCodeSpan } from "@hub/contract/code-spans.ts";
import { errorCase, listCases } from "@hub/contract/workflow-cases.ts";
import type { WorkflowNode } from "@hub/contract/workflow-node.ts";
import type { Graph } from "../validation/graph.ts";
import { toList } from "./words.ts";

/** When a step runs: after which others, and how several ways to it join. */
export function explainArrival(
  { nodes, incoming }: Graph,
  id: string,
  triggerIds: readonly string[],
): string[] {
  const edges = incoming.get(id) ?? [];
  const ways = edges.map(({ from, case: name }) => {
    const node = nodes.get(from);
    return `after ${toCodeSpan(from)}${name === undefined ? "" : describeCase(node, name)}`;
  });
  const starts =
    triggerIds.length === 0
      ? []
      : [`as the first step, for ${toList(triggerIds.map((trigger) => toCodeSpan(trigger)))}`];
  const all = [...starts, ...ways];
  if (all.length === 0) return ["No trigger and no other step leads to it, so it never runs."];
  const sentence = `It runs ${toList(all, "or", 20)}.`;
  const joins = ways.length > 1;
  return joins
    ? [
        sentence,
        "It runs once, when each of these ways has either been taken or cannot be taken any more.",
      ]
    : [sentence];
}

/** Where the run goes on after a step. */
export function explainDeparture({ outgoing }: Graph, node: WorkflowNode): string[] {
  if (node.type === "fail") return [];
  const edges = outgoing.get(node.id) ?? [];
  const cases = listCases(node);
  const toTargets = (name: string | undefined) =>
    edges.filter((edge) => edge.case === name).map(({ to }) => toCodeSpan(to));
  const sentences: string[] = [];
  const own = cases.filter((name) => name !== errorCase);
  const plain = toTargets(undefined);
  if (own.length === 0) {
    if (plain.length > 0)
      sentences.push(
        `Then it goes on with ${toList(plain, "and", 20)}${plain.length > 1 ? ", side by side" : ""}.`,
      );
    else sentences.push("This way of the run ends here.");
  }
  const ending: string[] = [];
  for (const name of own) {
    const targets = toTargets(name);
    if (targets.length === 0) ending.push(describeOutcome(node, name));
    else {
      sentences.push(
        `If ${describeOutcome(node, name)}, it goes on with ${toList(targets, "and", 20)}.`,
      );
    }
  }
  if (ending.length > 0)
    sentences.push(`If ${toList(ending, "or", 20)}, this way of the run ends.`);
  if (node.on_error === "route") {
    const targets = toTargets(errorCase);
    sentences.push(
      targets.length === 0
        ? "If it fails, this way of the run ends, because no edge has the case `error`."
        : `If it fails, only ${toList(targets, "and", 20)} runs next.`,
    );
  }
  return sentences;
}

function describeOutcome({ type }: WorkflowNode, name: string): string {
  if (type === "branch") return name === "true" ? "that holds" : "it does not hold";
  return type === "approval" ? `it is ${name}` : `the case is ${toCodeSpan(name)}`;
}

function describeCase(node: WorkflowNode | undefined, name: string): string {
  if (name === errorCase) return " fails";
  if (node?.type === "branch") return name === "true" ? ", if it holds" : ", if it does not hold";
  if (node?.type === "approval") return ` is ${toCodeSpan(name)}`;
  return `, in the case ${toCodeSpan(name)}`;
}
