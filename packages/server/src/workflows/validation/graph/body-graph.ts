import type { WorkflowBody, WorkflowEdge } from "@hub/contract/workflow-body.ts";
import type { WorkflowNode } from "@hub/contract/workflow-node.ts";

/** The nodes and edges of a body, as the engine and the validation walk them. */
export type Graph = {
  readonly nodes: ReadonlyMap<string, WorkflowNode>;
  /** The edges that start at a node, in the order of the body. Every node has a list. */
  readonly outgoing: ReadonlyMap<string, readonly WorkflowEdge[]>;
  /** The edges that end at a node, in the order of the body. Every node has a list. */
  readonly incoming: ReadonlyMap<string, readonly WorkflowEdge[]>;
  /**
   * The nodes that a run from `entry` can reach, `entry` included. Empty if there is no such node.
   * Edges from other nodes are dead in that run.
   */
  reachableFrom(entry: string): ReadonlySet<string>;
  /** The nodes with a path to this one, without the node itself unless it is in a cycle. */
  ancestorsOf(id: string): ReadonlySet<string>;
};

/**
 * Builds the graph of a body. It leaves out edges to or from nodes that do not exist, and of two
 * nodes with one id the second, so that the graph of any draft can be walked.
 */
export function buildGraph({ nodes, edges }: Pick<WorkflowBody, "nodes" | "edges">): Graph {
  const byId = new Map<string, WorkflowNode>();
  const outgoing = new Map<string, WorkflowEdge[]>();
  const incoming = new Map<string, WorkflowEdge[]>();
  for (const node of nodes) {
    if (byId.has(node.id)) continue;
    byId.set(node.id, node);
    outgoing.set(node.id, []);
    incoming.set(node.id, []);
  }
  for (const edge of edges) {
    if (!(byId.has(edge.from) && byId.has(edge.to))) continue;
    outgoing.get(edge.from)?.push(edge);
    incoming.get(edge.to)?.push(edge);
  }
  const reachable = new Map<string, ReadonlySet<string>>();
  const ancestors = new Map<string, ReadonlySet<string>>();
  return {
    nodes: byId,
    outgoing,
    incoming,
    reachableFrom: (entry) => {
      const found = reachable.get(entry) ?? findReachable(outgoing, [entry]);
      reachable.set(entry, found);
      return found;
    },
    ancestorsOf: (id) => {
      const found = ancestors.get(id) ?? findAncestors(incoming, id);
      ancestors.set(id, found);
      return found;
    },
  };
}

function findAncestors(incoming: Graph["incoming"], id: string): ReadonlySet<string> {
  const found = new Set((incoming.get(id) ?? []).map(({ from }) => from));
  // The loop also visits what it adds to the set.
  for (const each of found) for (const { from } of incoming.get(each) ?? []) found.add(from);
  return found;
}

/** The nodes that runs from any of the entries can reach, each after a node that leads to it. */
export function findReachable(
  outgoing: Graph["outgoing"],
  entries: Iterable<string>,
): ReadonlySet<string> {
  const reached = new Set([...entries].filter((entry) => outgoing.has(entry)));
  // The loop also visits what it adds to the set.
  for (const id of reached) for (const { to } of outgoing.get(id) ?? []) reached.add(to);
  return reached;
}
