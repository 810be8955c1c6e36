import { Graph, layout } from "@dagrejs/dagre";
import { itemGapPx, rowWidthPx, toGrid } from "./grid.ts";
import { wrapRows } from "./wrap-rows.ts";

export type LayoutInput = {
  nodes: ReadonlyArray<{ id: string; width: number; height: number }>;
  links: ReadonlyArray<{ from: string; to: string }>;
};
export type LayoutOutput = Record<string, [x: number, y: number]>;

/**
 * Positions from left to right, as the top left corner of each node. A long graph goes on in another row below, as a
 * text does. Loaded by the worker only.
 */
export function layoutGraph({ nodes, links }: LayoutInput): LayoutOutput {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({
    rankdir: "LR",
    nodesep: itemGapPx,
    ranksep: itemGapPx,
    marginx: 0,
    marginy: 0,
  });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id, width, height } of nodes) graph.setNode(id, { width, height });
  for (const [at, { from, to }] of links.entries()) graph.setEdge(from, to, {}, String(at));
  // The order of the cases matters more to readers than the fewest crossings.
  layout(graph, { disableOptimalOrderHeuristic: true });
  const boxes = nodes.map(({ id, width, height }) => {
    const { x = 0, y = 0 } = graph.node(id);
    return { id, x: x - width / 2, y: y - height / 2, width, height };
  });
  return Object.fromEntries(
    wrapRows(boxes, links, { widthPx: rowWidthPx, gapPx: itemGapPx }).map(({ id, x, y }) => [
      id,
      toGrid([x, y]),
    ]),
  );
}
