import { useReactFlow } from "@xyflow/react";
import type { DragEvent, RefObject } from "react";
import { type InsertPoint, isFree } from "../graph/commands.ts";
import type { CanvasNode, LinkFlowEdge } from "../graph/flow.ts";
import { itemHeightPx, itemWidthPx } from "../graph/item-size.ts";
import type { CanvasProps } from "./canvas-props.ts";
import { findLinkAt, itemData, markLink, nodeData } from "./drop-link.ts";
import { useStable } from "./use-stable.ts";

type Ground = Pick<CanvasProps, "body" | "edit"> & {
  edges: readonly LinkFlowEdge[];
  pane: RefObject<HTMLDivElement | null>;
  onDragEnd: () => void;
};

/** Nodes and entries of the palette that are dragged: the connection below them is marked, and takes them in. */
export function useLinkDrops({ body, edit, edges, pane, onDragEnd }: Ground) {
  const flow = useReactFlow<CanvasNode, LinkFlowEdge>();
  /** The connection below a single node that has none itself. */
  const findLinkBelow = (event: MouseEvent | TouchEvent, dragged: readonly CanvasNode[]) => {
    const [node, another] = dragged;
    if (node === undefined || another !== undefined || !isFree(body, node.id)) return null;
    const point = "clientX" in event ? event : event.changedTouches[0];
    return point === undefined ? null : findLinkAt(edges, point);
  };
  const onNodeDrag = useStable((event: MouseEvent | TouchEvent, _: CanvasNode, all: CanvasNode[]) =>
    markLink(pane.current, findLinkBelow(event, all)),
  );
  const onNodeDragStop = useStable(
    (event: MouseEvent | TouchEvent, _: CanvasNode, all: CanvasNode[]) => {
      const moved = Object.fromEntries(
        all.map(({ id, position }) => [
          id,
          [Math.round(position.x), Math.round(position.y)] as const,
        ]),
      );
      const link = findLinkBelow(event, all);
      markLink(pane.current, null);
      const [id] = Object.keys(moved);
      if (link !== null && id !== undefined) edit?.onSplice(id, toInsertPoint(link), moved);
      else edit?.onMove(moved);
      onDragEnd();
    },
  );
  const onDragOver = (event: DragEvent<HTMLElement>) => {
    if (edit === undefined) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
    const isNode = event.dataTransfer.types.includes(nodeData);
    markLink(pane.current, isNode ? findLinkAt(edges, event) : null);
  };
  const onDrop = (event: DragEvent<HTMLElement>) => {
    const data = event.dataTransfer.getData(itemData);
    const link = event.dataTransfer.types.includes(nodeData) ? findLinkAt(edges, event) : null;
    markLink(pane.current, null);
    if (edit === undefined || data === "") return;
    event.preventDefault();
    const at = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY });
    const corner = [at.x - itemWidthPx / 2, at.y - itemHeightPx / 2] as const;
    edit.onDrop(data, corner, link && toInsertPoint(link));
  };
  const onDragLeave = () => markLink(pane.current, null);
  return { onNodeDrag, onNodeDragStop, onDragOver, onDragLeave, onDrop };
}

function toInsertPoint({ source, target, data }: LinkFlowEdge): InsertPoint {
  return { from: source, case: data?.case, to: target };
}
