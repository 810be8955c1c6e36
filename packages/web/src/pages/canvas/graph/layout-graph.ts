import { Graph, layout } from "@dagrejs/dagre";

export type LayoutInput = {
  nodes: ReadonlyArray<{ id: string; width: number; height: number }>;
  links: ReadonlyArray<{ from: string; to: string }>;
};
export type LayoutOutput = Record<string, [x: number, y: number]>;

/** Positions from left to right, as the top left corner of each node. Loaded by the worker only. */
export function layoutGraph({ nodes, links }: LayoutInput): LayoutOutput {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: "LR", nodesep: 40, ranksep: 128, marginx: 0, marginy: 0 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id, width, height } of nodes) graph.setNode(id, { width, height });
  for (const [at, { from, to }] of links.entries()) graph.setEdge(from, to, {}, String(at));
  // The order of the cases matters more to readers than the fewest crossings.
  layout(graph, { disableOptimalOrderHeuristic: true });
  return Object.fromEntries(
    nodes.map(({ id, width, height }) => {
      const { x = 0, y = 0 } = graph.node(id);
      return [id, [snap(x - width / 2), snap(y - height / 2)]];
    }),
  );
}

const gridPx = 16;
const snap = (value: number) => Math.round(value / gridPx) * gridPx;
