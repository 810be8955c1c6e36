import type { FitViewOptions } from "@xyflow/react";
import type { Body, Position } from "../graph/body.ts";
import { itemHeightPx, itemWidthPx } from "../graph/item-size.ts";
import { findNeighbour } from "../graph/walk-graph.ts";

export const fitOptions = { padding: 0.08, maxZoom: 1 } satisfies FitViewOptions;

const widePxMin = 768;
/** The menu of the pages as icons, and the inspector of a selected item. */
const menuPx = 56;
const inspectorPx = 384;
/** The header of the pages, the bar of the workflow, and the lists below the graph. */
const barsPx = 152;
/** Below this, names cannot be read. */
const zoomMin = 0.5;
const readableZoom = 0.65;

const readWindow = () => ({ width: window.innerWidth, height: window.innerHeight });

/**
 * What is visible at first: the whole graph, or if it is too large to be read, what is around the selected item or
 * where the graph begins.
 */
export function chooseStart(
  body: Body,
  positions: Readonly<Record<string, Position>>,
  selected: string | undefined,
  shown = readWindow(),
): FitViewOptions {
  const first = selected ?? body.triggers[0]?.id ?? body.nodes[0]?.id;
  if (first === undefined) return fitOptions;
  if (shown.width < widePxMin) {
    const next = findNeighbour(body, first, "right", positions);
    const ids = [first, ...(next === null || selected !== undefined ? [] : [next])];
    return { ...fitOptions, minZoom: 0.55, nodes: ids.map((id) => ({ id })) };
  }
  const free = [
    shown.width - menuPx - (selected === undefined ? 0 : inspectorPx),
    shown.height - barsPx,
  ] as const;
  const size = [itemWidthPx, itemHeightPx] as const;
  const entries = Object.entries(positions);
  const start = positions[first] ?? [0, 0];
  const axes = ([0, 1] as const).map((axis) => {
    const places = entries.map(([, position]) => position[axis]);
    const from = Math.min(...places);
    const isWhole = (Math.max(...places) + size[axis] - from) * zoomMin <= free[axis];
    return { from, isWhole, reach: free[axis] / readableZoom - size[axis] };
  });
  if (axes.every(({ isWhole }) => isWhole)) return fitOptions;
  const near = entries.filter(([, position]) =>
    axes.every(({ from, reach }, at) => {
      const place = position[at] ?? 0;
      // A graph goes on to the right from where it begins, and to both sides of what is selected.
      const isBeginning = selected === undefined && at === 0;
      return isBeginning ? place - from < reach : 2 * Math.abs(place - (start[at] ?? 0)) < reach;
    }),
  );
  return { ...fitOptions, minZoom: zoomMin, nodes: near.map(([id]) => ({ id })) };
}
