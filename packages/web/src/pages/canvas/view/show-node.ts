import type { ReactFlowInstance } from "@xyflow/react";
import type { CanvasNode, LinkFlowEdge } from "../graph/flow.ts";
import { itemGapPx } from "../graph/grid.ts";
import { itemHeightPx, itemWidthPx } from "../graph/item-size.ts";

const marginPx = 24;
const panMs = 200;

/** Moves the graph to an item that is not visible, and no further than it must. */
export function showNode(
  flow: ReactFlowInstance<CanvasNode, LinkFlowEdge>,
  pane: HTMLElement | null,
  id: string,
): void {
  const node = flow.getInternalNode(id);
  if (node === undefined || pane === null) return;
  const { x, y } = node.internals.positionAbsolute;
  const { width = itemWidthPx, height = itemHeightPx } = node;
  const area = pane.getBoundingClientRect();
  const { right, bottom } = findFree(pane, area);
  // Nothing is visible below a sheet over the whole graph.
  if (bottom <= area.top) return;
  const start = flow.flowToScreenPosition({ x, y });
  // With the button at its end that adds the next item.
  const end = flow.flowToScreenPosition({ x: x + width + itemGapPx, y: y + height });
  const shiftX = findShift([start.x, end.x], [area.left, right]);
  const shiftY = findShift([start.y, end.y], [area.top, bottom]);
  const moved = {
    left: start.x + shiftX,
    top: start.y + shiftY,
    right: end.x + shiftX,
    bottom: end.y + shiftY,
  };
  const map = pane.querySelector("[data-map]")?.getBoundingClientRect();
  const [besideX, besideY] = map === undefined ? [0, 0] : findShiftBeside(moved, map, area);
  const [byX, byY] = [shiftX + besideX, shiftY + besideY];
  if (byX === 0 && byY === 0) return;
  const view = flow.getViewport();
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
  void flow.setViewport(
    { x: view.x + byX, y: view.y + byY, zoom: view.zoom },
    isStill ? {} : { duration: panMs },
  );
}

type Span = readonly [start: number, end: number];

/**
 * How far a span must move to be within an area: 0 if it is. It then keeps a margin. A span that is longer than the
 * area starts where the area does.
 * @internal
 */
export function findShift([start, end]: Span, [first, last]: Span): number {
  if (start >= first && end <= last) return 0;
  const margin = Math.max(0, Math.min(marginPx, (last - first - (end - start)) / 2));
  const toStart = first + margin - start;
  if (start < first || end - start > last - first) return toStart;
  return last - margin - end;
}

type Box = Pick<DOMRect, "left" | "top" | "right" | "bottom">;

/**
 * How far a box must move to the left or up so that the map at the corner does not cover it: the shorter of both ways
 * that keep it in the area, and zeros if there is none.
 * @internal
 */
export function findShiftBeside(
  box: Box,
  map: Box,
  area: Pick<Box, "left" | "top">,
): readonly [x: number, y: number] {
  const isCovered = box.right > map.left && box.bottom > map.top;
  const left = box.right - map.left + marginPx;
  const up = box.bottom - map.top + marginPx;
  const fitsLeft = isCovered && box.left - left >= area.left;
  const fitsUp = isCovered && box.top - up >= area.top;
  if (fitsUp && (up <= left || !fitsLeft)) return [0, -up];
  return fitsLeft ? [-left, 0] : [0, 0];
}

/** Where the part of the graph ends that the inspector does not cover, as it does on small windows. */
function findFree(pane: HTMLElement, { right, bottom, width }: DOMRect) {
  const side = pane
    .closest("[data-canvas]")
    ?.querySelector("[data-inspector]")
    ?.getBoundingClientRect();
  if (side === undefined) return { right, bottom };
  return side.width < width * 0.9
    ? { right: Math.min(right, side.left), bottom }
    : { right, bottom: Math.min(bottom, side.top) };
}
