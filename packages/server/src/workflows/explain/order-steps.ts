import type { Graph } from "../validation/graph/body-graph.ts";

/**
 * The nodes in the order in which they are told: every edge leads forward, and what follows from the first case of a
 * node comes before what follows from the next one. Nodes of cycles, which only drafts have, come last.
 */
export function orderSteps(
  { nodes, incoming, outgoing }: Graph,
  entries: readonly string[],
): string[] {
  const open = new Map([...nodes.keys()].map((id) => [id, incoming.get(id)?.length ?? 0]));
  const order = new Set<string>();
  const visit = (start: string) => {
    const ready = [start];
    for (let id = ready.pop(); id !== undefined; id = ready.pop()) {
      order.add(id);
      const next: string[] = [];
      for (const { to } of outgoing.get(id) ?? []) {
        const left = (open.get(to) ?? 0) - 1;
        open.set(to, left);
        if (left === 0) next.push(to);
      }
      ready.push(...next.reverse());
    }
  };
  for (const id of [...entries, ...nodes.keys()]) {
    if (nodes.has(id) && !order.has(id) && incoming.get(id)?.length === 0) visit(id);
  }
  return [...order, ...[...nodes.keys()].filter((id) => !order.has(id))];
}
