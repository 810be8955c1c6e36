import { findEffects } from "../engine/step/node-effects.ts";
import type { Graph } from "../validation/graph/body-graph.ts";
import type { ExplainWorld } from "./explain-world.ts";
import { findNodeOperation } from "./summarize-node.ts";

/**
 * The steps that change or send something and that a run can reach without an approval. The answer to a request is not
 * among them.
 */
export function findUnapproved(
  world: ExplainWorld,
  graph: Graph,
  entries: readonly string[],
): string[] {
  const reached = new Set(entries.filter((entry) => graph.nodes.has(entry)));
  // The loop also visits what it adds to the set.
  for (const id of reached) {
    const isApproval = graph.nodes.get(id)?.type === "approval";
    for (const edge of graph.outgoing.get(id) ?? []) {
      if (!(isApproval && edge.case === "approved")) reached.add(edge.to);
    }
  }
  return [...reached].filter((id) => {
    const node = graph.nodes.get(id);
    if (node === undefined || node.type === "webhook_respond") return false;
    return findEffects(node, findNodeOperation(world, node)).changes;
  });
}
