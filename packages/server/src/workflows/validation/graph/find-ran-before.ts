import type { WorkflowEdge } from "@hub/contract/workflow-body.ts";
import { listCases } from "@hub/contract/workflow-cases.ts";
import { addBit, addBits, type BitSet, createBitSet, hasBit, keepBits } from "./bit-set.ts";
import { findReachable, type Graph } from "./body-graph.ts";
import { sortNodes } from "./sort-nodes.ts";

/** What is known of the nodes that have ended when a node starts. */
export type RanBefore = {
  /** Whether `earlier` has run, and so has an output, whenever `id` starts. */
  isCertain(earlier: string, id: string): boolean;
  /** Whether `earlier` has run in some of the runs in which `id` starts. */
  isPossible(earlier: string, id: string): boolean;
  /** The nodes that are certain before `id`, in the order of the body. */
  list(id: string): string[];
};

/**
 * Finds which nodes have run when a node starts, in runs from any of the entries.
 *
 * A node starts when each incoming edge is taken or dead. So all nodes that lead to it have ended
 * by then: they ran or were passed over. A node is certain before another one if it leads to it,
 * and if it runs in every run in which the other one runs. These are the dominators of the other
 * node, and the nodes that run whenever one of those runs: of two parallel branches that join,
 * both are certain after the join, and of the two cases of a `branch` neither.
 *
 * This is a data flow over facts: a node ran, or a node ended with a case. One fact implies others:
 * a node that ran takes its edges. A node knows what all its incoming edges have in common. The cost is
 * linear in nodes and edges, times the facts divided by 32.
 *
 * The graph must have no cycle.
 */
export function findRanBefore(graph: Graph, entries: readonly string[]): RanBefore {
  const reachable = findReachable(graph.outgoing, entries);
  const order = sortNodes(graph, 1).order.filter((id) => reachable.has(id));
  const numbers = new Map(order.map((id, at) => [id, at]));
  const outcomes = numberOutcomes(graph, order);
  const size = order.length + outcomes.size;
  const toNumber = (id: string) => numbers.get(id) ?? -1;
  const findOutcome = (edge: WorkflowEdge) => outcomes.get(toOutcomeKey(edge));

  const implied = findImplied();
  const starts = new Set(entries);
  const known: BitSet[] = [];
  const leading: BitSet[] = [];
  for (const [at, id] of order.entries()) {
    const common = createBitSet(size);
    const before = createBitSet(order.length);
    // A run that begins here knows nothing of other nodes.
    if (!starts.has(id)) common.fill(0xffff_ffff);
    for (const edge of graph.incoming.get(id) ?? []) {
      const from = toNumber(edge.from);
      const facts = known[from];
      const ancestors = leading[from];
      if (facts === undefined || ancestors === undefined) continue;
      keepBits(common, facts, implied[findOutcome(edge) ?? from] ?? facts);
      addBits(before, ancestors);
      addBit(before, from);
    }
    addBits(common, implied[at] ?? common);
    known.push(common);
    leading.push(before);
  }

  const isPossible = (earlier: string, id: string) => {
    const before = leading[toNumber(id)];
    const bit = toNumber(earlier);
    return before !== undefined && bit >= 0 && hasBit(before, bit);
  };
  const isCertain = (earlier: string, id: string) => {
    const facts = known[toNumber(id)];
    return facts !== undefined && isPossible(earlier, id) && hasBit(facts, toNumber(earlier));
  };
  return {
    isCertain,
    isPossible,
    list: (id) => [...graph.nodes.keys()].filter((earlier) => isCertain(earlier, id)),
  };

  /** For each fact, the facts that follow from it, itself included. */
  function findImplied(): BitSet[] {
    const sets = Array.from({ length: size }, () => createBitSet(size));
    for (let at = order.length - 1; at >= 0; at--) {
      const ran = sets[at];
      if (ran === undefined) continue;
      addBit(ran, at);
      for (const edge of graph.outgoing.get(order[at] ?? "") ?? []) {
        const next = sets[toNumber(edge.to)];
        const outcome = findOutcome(edge);
        const cause = outcome === undefined ? ran : sets[outcome];
        if (next === undefined || cause === undefined) continue;
        if (outcome !== undefined) addBit(cause, outcome);
        addBits(cause, next);
      }
    }
    return sets;
  }
}

/** Numbers the ways in which a node can end, for nodes that have several; after the nodes. */
function numberOutcomes(graph: Graph, order: readonly string[]): Map<string, number> {
  const outcomes = new Map<string, number>();
  for (const id of order) {
    const node = graph.nodes.get(id);
    if (node === undefined || listCases(node).length === 0) continue;
    for (const edge of graph.outgoing.get(id) ?? []) {
      const key = toOutcomeKey(edge);
      if (!outcomes.has(key)) outcomes.set(key, order.length + outcomes.size);
    }
  }
  return outcomes;
}

/** A node with `on_error: route` that succeeds takes its edges without a case: a case of its own. */
function toOutcomeKey(edge: WorkflowEdge): string {
  return `${edge.from}/${edge.case ?? ""}`;
}
