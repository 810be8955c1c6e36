import { toCodeSpan } from "@hub/contract/code-spans.ts";
import type { WorkflowEdge } from "@hub/contract/workflow-body.ts";
import { errorCase, listCases } from "@hub/contract/workflow-cases.ts";
import type { WorkflowNode } from "@hub/contract/workflow-node.ts";
import type { Graph } from "../validation/graph.ts";
import { toList } from "./words.ts";

const listedMax = 20;

/** When a step runs: after which others, and how several ways to it join. */
export function explainArrival(
  { nodes, incoming }: Graph,
  id: string,
  triggerIds: readonly string[],
): string[] {
  const casesOf = new Map<string, (string | undefined)[]>();
  for (const { from, case: name } of incoming.get(id) ?? []) {
    casesOf.set(from, [...(casesOf.get(from) ?? []), name]);
  }
  const ways = [...casesOf].map(
    ([from, cases]) => `after ${toCodeSpan(from)}${describeCases(nodes.get(from), cases)}`,
  );
  const triggers = toList(triggerIds.map((trigger) => toCodeSpan(trigger)));
  const first = triggerIds.length === 0 ? [] : [`It is the first step of ${triggers}.`];
  if (ways.length === 0) {
    return triggerIds.length > 0 ? first : ["No trigger and no other step leads to it."];
  }
  const also = triggerIds.length > 0 ? "also " : "";
  return [
    ...first,
    `It ${also}runs ${toList(ways, "or", listedMax)}.`,
    ...(ways.length > 1
      ? ["It runs once, when none of these ways is open any more and at least one was taken."]
      : []),
  ];
}

function describeCases(node: WorkflowNode | undefined, cases: readonly (string | undefined)[]) {
  const names = cases.flatMap((name) => name ?? []);
  // An edge without a case beside an edge for the error is the way of success.
  if (names.length === 0) return "";
  const texts = names.map((name) => {
    if (name === errorCase) return "failed";
    if (node?.type === "branch") return name === "true" ? "if so" : "if not";
    return node?.type === "approval" ? name : toCodeSpan(name);
  });
  const all = cases.length > names.length ? ["succeeded", ...texts] : texts;
  return ` (${toList(all, "or", listedMax)})`;
}

/** Where the run goes on after a step. */
export function explainDeparture({ outgoing }: Graph, node: WorkflowNode): string[] {
  if (node.type === "fail") return [];
  const targets = groupTargets(outgoing.get(node.id) ?? []);
  const sentences = [
    ...explainCases(
      node,
      targets,
      listCases(node).filter((name) => name !== errorCase),
    ),
  ];
  if (node.on_error !== "route") return sentences;
  const failed = targets.get(errorCase);
  return [
    ...sentences,
    failed === undefined
      ? "If it fails, this way ends, because no edge has the case `error`."
      : `If it fails, it goes on with ${showTargets(failed)} instead.`,
  ];
}

type Targets = ReadonlyMap<string | undefined, readonly string[]>;

/** The targets of each case, in the order of the body. */
function groupTargets(edges: readonly WorkflowEdge[]): Targets {
  const targets = new Map<string | undefined, string[]>();
  for (const { case: name, to } of edges) {
    const known = targets.get(name);
    if (known === undefined) targets.set(name, [to]);
    else known.push(to);
  }
  return targets;
}

function explainCases(node: WorkflowNode, targets: Targets, cases: readonly string[]): string[] {
  if (cases.length === 0) {
    const next = targets.get(undefined);
    if (next !== undefined) return [`Then it goes on with ${showTargets(next)}.`];
    return node.on_error === "route" ? ["If it succeeds, nothing follows."] : ["Nothing follows."];
  }
  // Cases with the same targets are one sentence.
  const groups = new Map<string, string[]>();
  for (const name of cases) {
    const next = targets.get(name);
    const words = next === undefined ? "this way ends" : `it goes on with ${showTargets(next)}`;
    groups.set(words, [...(groups.get(words) ?? []), name]);
  }
  return [...groups].map(([words, names]) => `If ${describeOutcome(node, names)}, ${words}.`);
}

function describeOutcome({ type }: WorkflowNode, names: readonly string[]): string {
  if (type === "branch") return names.length > 1 ? "so or not" : names[0] === "true" ? "so" : "not";
  if (type === "approval") return `it is ${toList(names, "or")}`;
  const shown = names.map((name) => toCodeSpan(name));
  return `the case is ${toList(shown, "or", listedMax)}`;
}

function showTargets(ids: readonly string[]): string {
  const shown = toList(
    ids.map((id) => toCodeSpan(id)),
    "and",
    listedMax,
  );
  return ids.length > 1 ? `${shown}, side by side` : shown;
}
