import type { FitViewOptions } from "@xyflow/react";
import type { Body, Position } from "../graph/body.ts";
import { itemWidthPx } from "../graph/flow.ts";
import { findNeighbour } from "../graph/walk-graph.ts";

export const fitOptions = { padding: 0.08, maxZoom: 1 } satisfies FitViewOptions;

const widePxMin = 768;
/** The menu of the pages, and the inspector of a selected item. */
const menuPx = 240;
const inspectorPx = 384;
/** Below this, names cannot be read. */
const zoomMin = 0.5;
const readableZoom = 0.65;

/**
 * What is visible at first: the whole graph, or if it is too large to be read, what is around the selected item or
 * where the graph begins.
 */
export function chooseStart(
  body: Body,
  positions: Readonly<Record<string, Position>>,
  selected: string | undefined,
  windowPx = window.innerWidth,
): FitViewOptions {
  const first = selected ?? body.triggers[0]?.id ?? body.nodes[0]?.id;
  if (first === undefined) return fitOptions;
  if (windowPx < widePxMin) {
    const next = findNeighbour(body, first, "right", positions);
    const ids = [first, ...(next === null || selected !== undefined ? [] : [next])];
    return { ...fitOptions, minZoom: 0.55, nodes: ids.map((id) => ({ id })) };
  }
  const widthPx = windowPx - menuPx - (selected === undefined ? 0 : inspectorPx);
  const entries = Object.entries(positions);
  const lefts = entries.map(([, [x]]) => x);
  const left = Math.min(...lefts);
  const graphPx = Math.max(...lefts) + itemWidthPx - left;
  if (widthPx / graphPx >= zoomMin) return fitOptions;
  const reachPx = widthPx / readableZoom;
  const [atX, atY] = positions[first] ?? [left, 0];
  const near = entries.filter(([, [x, y]]) => {
    const isBeside = selected === undefined ? x - left : 2 * Math.abs(x - atX);
    return isBeside < reachPx - itemWidthPx && 2 * Math.abs(y - atY) < reachPx;
  });
  return { ...fitOptions, minZoom: zoomMin, nodes: near.map(([id]) => ({ id })) };
}
