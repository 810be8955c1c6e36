import { useReactFlow } from "@xyflow/react";
import type { RefObject } from "react";
import type { CanvasNode, LinkFlowEdge } from "../graph/flow.ts";
import { itemHeightPx, itemWidthPx } from "../graph/item-size.ts";
import type { CanvasProps } from "./canvas-props.ts";
import { fitOptions } from "./choose-start.ts";
import { showNode } from "./show-node.ts";
import { useStable } from "./use-stable.ts";

/** Gives the page the canvas when it is ready. */
export function useCanvasHandle(
  pane: RefObject<HTMLDivElement | null>,
  onReady: CanvasProps["onReady"],
): () => void {
  const flow = useReactFlow<CanvasNode, LinkFlowEdge>();
  return useStable(() =>
    onReady?.({
      findCentre() {
        const area = pane.current?.getBoundingClientRect() ?? new DOMRect();
        const { x, y } = flow.screenToFlowPosition({
          x: area.x + area.width / 2,
          y: area.y + area.height / 2,
        });
        return [x - itemWidthPx / 2, y - itemHeightPx / 2];
      },
      show: (id) => showNode(flow, pane.current, id),
      fit: () => void flow.fitView(fitOptions),
    }),
  );
}
