import type { ReactFlowInstance } from "@xyflow/react";
import type { CanvasNode, LinkFlowEdge } from "../graph/flow.ts";

/** Moves the graph to an item that is not visible. */
export function showNode(
  flow: ReactFlowInstance<CanvasNode, LinkFlowEdge>,
  pane: HTMLElement | null,
  id: string,
): void {
  const node = flow.getInternalNode(id);
  if (node === undefined || pane === null) return;
  const { x, y } = node.internals.positionAbsolute;
  const area = pane.getBoundingClientRect();
  const { right, bottom } = findFree(pane, area);
  // Nothing is visible below a sheet over the whole graph.
  if (bottom <= area.top) return;
  const start = flow.flowToScreenPosition({ x, y });
  const end = flow.flowToScreenPosition({ x: x + 232, y: y + 64 });
  const isVisible =
    start.x >= area.left && start.y >= area.top && end.x <= right && end.y <= bottom;
  if (isVisible) return;
  const zoom = flow.getZoom();
  const byX = (area.right - right) / 2 / zoom;
  const byY = (area.bottom - bottom) / 2 / zoom;
  void flow.setCenter(x + 116 + byX, y + 32 + byY, { zoom });
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
