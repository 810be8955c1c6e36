import type { WorkflowEdge } from "@hub/contract/workflow-body.ts";
import { errorCase, listCases } from "@hub/contract/workflow-cases.ts";
import type { WorkflowNode } from "@hub/contract/workflow-node.ts";
import type { Graph } from "./body-graph.ts";

/** Where a run can end without an answer: after a node, with a case of it or null. */
export type OpenEnd = { nodeId: string; case: string | null };

/** When runs from one entry are answered. */
export type Answers = {
  /** Null if every run that does not fail is answered. */
  openEnd: OpenEnd | null;
  /** The latest first answer, with the node that gives it and the one that delays it most. */
  latest: { seconds: number; nodeId: string | null; delayedBy: string | null };
  /** The longest known wait of a run. */
  longest: { seconds: number; delayedBy: string | null };
};

/** Longer than every sender waits. A person may take any time. */
const approvalSeconds = 1_000_000_000;

type Start = { seconds: number; delayedBy: string | null; delay: number };
type Answer = { openEnd: OpenEnd | null; seconds: number; nodeId: string | null };

/**
 * Follows runs from an entry through a graph without cycles, whose nodes are given in their order: each node starts
 * after its slowest path, and each case of a node needs an answer. Only waits that the body states are counted.
 * Linear in nodes and edges.
 */
export function findAnswers(graph: Graph, order: readonly string[], entry: string): Answers {
  const reached = graph.reachableFrom(entry);
  const ids = order.filter((id) => reached.has(id));
  const starts = findStarts(graph, ids, reached);
  const answers = new Map<string, Answer>();
  for (const id of ids.toReversed()) {
    const node = graph.nodes.get(id);
    if (node !== undefined) answers.set(id, findAnswer(graph, node, starts, answers));
  }
  const { openEnd, seconds, nodeId } = answers.get(entry) ?? {
    openEnd: null,
    seconds: 0,
    nodeId: null,
  };
  const delayedBy = nodeId === null ? null : (starts.get(nodeId)?.delayedBy ?? null);
  return { openEnd, latest: { seconds, nodeId, delayedBy }, longest: findLongest(graph, starts) };
}

function findStarts(
  graph: Graph,
  ids: readonly string[],
  reached: ReadonlySet<string>,
): ReadonlyMap<string, Start> {
  const starts = new Map<string, Start>();
  for (const id of ids) {
    let start: Start = { seconds: 0, delayedBy: null, delay: 0 };
    for (const { from } of graph.incoming.get(id) ?? []) {
      const before = reached.has(from) ? toEnd(graph, from, starts.get(from)) : null;
      if (before !== null && before.seconds > start.seconds) start = before;
    }
    starts.set(id, start);
  }
  return starts;
}

function toEnd(graph: Graph, id: string, start: Start | undefined): Start | null {
  const node = graph.nodes.get(id);
  if (node === undefined || start === undefined) return null;
  const delay = findDelay(node);
  const seconds = start.seconds + delay;
  return delay > start.delay ? { seconds, delayedBy: id, delay } : { ...start, seconds };
}

/** For how many seconds a node is known to wait. */
function findDelay(node: WorkflowNode): number {
  if (node.disabled) return 0;
  if (node.type === "approval") return approvalSeconds;
  return node.type === "wait" && typeof node.seconds === "number" ? node.seconds : 0;
}

function findLongest(graph: Graph, starts: ReadonlyMap<string, Start>): Answers["longest"] {
  let longest: Answers["longest"] = { seconds: 0, delayedBy: null };
  for (const [id, start] of starts) {
    const end = toEnd(graph, id, start);
    if (end !== null && end.seconds > longest.seconds) longest = end;
  }
  return { seconds: longest.seconds, delayedBy: longest.delayedBy };
}

function findAnswer(
  graph: Graph,
  node: WorkflowNode,
  starts: ReadonlyMap<string, Start>,
  answers: ReadonlyMap<string, Answer>,
): Answer {
  const { id } = node;
  if (node.type === "webhook_respond" && !node.disabled) {
    return { openEnd: null, seconds: starts.get(id)?.seconds ?? 0, nodeId: id };
  }
  // The sender is told that the run failed.
  if (node.type === "fail" && !node.disabled) return { openEnd: null, seconds: 0, nodeId: null };
  const edges = graph.outgoing.get(id) ?? [];
  const outcomes = listOutcomes(node).map((name) => {
    const taken = edges.filter((edge) => (edge.case ?? null) === name);
    return findFirst(taken, answers) ?? { openEnd: { nodeId: id, case: name }, ...notAnswered };
  });
  const openEnd = outcomes.find((one) => one.openEnd !== null)?.openEnd ?? null;
  const latest = outcomes.reduce((one, other) => (other.seconds > one.seconds ? other : one));
  return { openEnd, seconds: latest.seconds, nodeId: latest.nodeId };
}

const notAnswered = { seconds: 0, nodeId: null };

/** How a node can end: with which cases, or null. The error of a node that is switched off cannot be. */
function listOutcomes(node: WorkflowNode): (string | null)[] {
  const cases = listCases(node);
  const own = cases.filter((name) => name !== errorCase);
  const plain = own.length === 0 ? [null] : own;
  return node.on_error === "route" && !node.disabled ? [...plain, errorCase] : plain;
}

/** Of edges that are taken together, the first answer that is certain, or else a possible one. Null without edges. */
function findFirst(
  edges: readonly WorkflowEdge[],
  answers: ReadonlyMap<string, Answer>,
): Answer | null {
  const all = edges.flatMap(({ to }) => answers.get(to) ?? []);
  const certain = all.filter(({ openEnd }) => openEnd === null);
  const [first, ...others] = certain.length > 0 ? certain : all;
  if (first === undefined) return null;
  return others.reduce((one, other) => (other.seconds < one.seconds ? other : one), first);
}
