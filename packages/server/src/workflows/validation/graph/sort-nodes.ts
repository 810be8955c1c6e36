import type { Graph } from "./body-graph.ts";

/** The nodes in an order in which every edge leads forward, and the cycles that prevent this. */
export type SortedNodes = {
  /** Without a cycle, every edge leads from an earlier node to a later one. */
  order: string[];
  /** The ids of the nodes of each cycle, in the direction of the edges. */
  cycles: string[][];
};

/**
 * Sorts the nodes by a depth-first search with a stack of its own, since a chain of 500 nodes must
 * not depend on the size of the program's stack. Finds at least one cycle if there are any, and at
 * most `cyclesMax`.
 */
export function sortNodes({ nodes, outgoing }: Graph, cyclesMax: number): SortedNodes {
  const cycles: string[][] = [];
  const finished: string[] = [];
  /** The index on the current path, or `done` after the node and all that follow it. */
  const positions = new Map<string, number | "done">();
  const path: { id: string; next: number }[] = [];
  const enter = (id: string) => {
    positions.set(id, path.length);
    path.push({ id, next: 0 });
  };
  for (const start of nodes.keys()) {
    if (positions.has(start)) continue;
    enter(start);
    for (let step = path.at(-1); step !== undefined; step = path.at(-1)) {
      const edge = outgoing.get(step.id)?.[step.next++];
      if (edge === undefined) {
        positions.set(step.id, "done");
        finished.push(step.id);
        path.pop();
        continue;
      }
      const position = positions.get(edge.to);
      if (position === undefined) enter(edge.to);
      else if (position !== "done" && cycles.length < cyclesMax) {
        cycles.push(path.slice(position).map(({ id }) => id));
      }
    }
  }
  return { order: finished.reverse(), cycles };
}
