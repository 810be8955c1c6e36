import type { FitViewOptions } from "@xyflow/react";
import type { Body } from "../graph/body.ts";
import { findNeighbour } from "../graph/walk-graph.ts";

export const fitOptions = { padding: 0.2, maxZoom: 1 } satisfies FitViewOptions;

const widePxMin = 768;

/**
 * What is visible at first: the whole graph, or on a narrow window what can be read: the selected item, or where
 * the graph begins.
 */
export function chooseStart(
  body: Body,
  positions: Readonly<Record<string, readonly [number, number]>>,
  selected: string | undefined,
): FitViewOptions {
  if (window.innerWidth >= widePxMin) return fitOptions;
  const first = selected ?? body.triggers[0]?.id ?? body.nodes[0]?.id;
  if (first === undefined) return fitOptions;
  const next = findNeighbour(body, first, "right", positions);
  const ids = [first, ...(next === null || selected !== undefined ? [] : [next])];
  return { ...fitOptions, padding: 0.08, minZoom: 0.55, nodes: ids.map((id) => ({ id })) };
}
