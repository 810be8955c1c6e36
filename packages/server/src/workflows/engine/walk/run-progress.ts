import type { WorkflowEdge } from "@hub/contract/workflow-body.ts";
import type { Graph } from "../../validation/graph/body-graph.ts";

/** How a node ended, as far as its edges are concerned. */
export type NodeEnd = {
  /** The case by which it goes on, or null for a node without cases. */
  caseName: string | null;
};

/**
 * Which nodes of a run may start. A node with several incoming edges starts once, when each of them is
 * taken or dead and at least one is taken. If all are dead, its own edges are dead too.
 */
export type RunProgress = {
  /** The nodes that have become ready since the last call, in the order in which they did. */
  takeReady(): string[];
  hasReady(): boolean;
  /** Records the end of a node. Its edges are taken or die. */
  complete(nodeId: string, end: NodeEnd): void;
  /** Whether the run can reach a node, or has reached it. */
  mayRun(nodeId: string): boolean;
  /** The node before this one: of its taken edges, the first in the order of the body. Null without one. */
  findInput(nodeId: string): string | null;
  /** Nodes that will not run, because no edge to them was taken. */
  listSkipped(): string[];
};

/**
 * Starts at `entry`. Edges from nodes that the run cannot reach are dead. Linear in edges. With `isAlone`,
 * no edge is taken, so that only the first node runs.
 */
export function createRunProgress(
  graph: Graph,
  entry: string,
  { isAlone = false }: { isAlone?: boolean | undefined } = {},
): RunProgress {
  const reachable = graph.reachableFrom(entry);
  /** Incoming edges of each node that are neither taken nor dead. */
  const undecided = new Map<string, number>();
  const isTaken = new Set<string>();
  const takenEdges = new Set<WorkflowEdge>();
  const skipped: string[] = [];
  const isSkipped = new Set<string>();
  for (const id of reachable) {
    const edges = graph.incoming.get(id) ?? [];
    undecided.set(id, edges.filter(({ from }) => reachable.has(from)).length);
  }
  let ready = reachable.has(entry) ? [entry] : [];

  function decide(edge: WorkflowEdge, taken: boolean, dead: string[]): void {
    const { to } = edge;
    const left = (undecided.get(to) ?? 0) - 1;
    undecided.set(to, left);
    if (taken) {
      isTaken.add(to);
      takenEdges.add(edge);
    }
    if (left > 0) return;
    if (isTaken.has(to)) ready.push(to);
    else {
      skipped.push(to);
      isSkipped.add(to);
      dead.push(to);
    }
  }

  return {
    takeReady() {
      const taken = ready;
      ready = [];
      return taken;
    },
    hasReady: () => ready.length > 0,
    complete(nodeId, { caseName }) {
      if (isAlone) return;
      const dead: string[] = [];
      for (const edge of graph.outgoing.get(nodeId) ?? []) {
        decide(edge, (edge.case ?? null) === caseName, dead);
      }
      // A list instead of recursion, since a chain may be long.
      for (const id of dead) {
        for (const edge of graph.outgoing.get(id) ?? []) decide(edge, false, dead);
      }
    },
    mayRun: (nodeId) => reachable.has(nodeId) && !isSkipped.has(nodeId),
    findInput: (nodeId) =>
      graph.incoming.get(nodeId)?.find((edge) => takenEdges.has(edge))?.from ?? null,
    listSkipped: () => skipped,
  };
}
