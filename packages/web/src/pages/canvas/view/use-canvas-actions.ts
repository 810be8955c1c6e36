import { type Connection, type FinalConnectionState, useReactFlow } from "@xyflow/react";
import { useMemo } from "react";
import type { Edge, Position } from "../graph/body.ts";
import type { InsertPoint } from "../graph/commands.ts";
import { fromHandle } from "../graph/flow.ts";
import { itemHeightPx } from "../graph/item-size.ts";
import type { CanvasEdits, Spot } from "./canvas-props.ts";
import { useStable } from "./use-stable.ts";

/** What the items and connections on the canvas do, and the lines that are drawn between them. */
export function useCanvasActions(edit: CanvasEdits | undefined) {
  const isReadOnly = edit === undefined;
  const flow = useReactFlow();
  const onConnect = useStable(({ source, target, sourceHandle }: Connection) => {
    const name = fromHandle(sourceHandle);
    edit?.onConnect({ from: source, to: target, ...(name !== undefined && { case: name }) });
  });
  const onConnectEnd = useStable((event: MouseEvent | TouchEvent, state: FinalConnectionState) => {
    // A line that ends on the ground asks for a new node there.
    const { fromHandle: handle, isValid, toNode } = state;
    if (isValid === true || toNode !== null || handle?.type !== "source") return;
    const point = "clientX" in event ? event : event.changedTouches[0];
    if (point === undefined) return;
    const { clientX: x, clientY: y } = point;
    const at = flow.screenToFlowPosition({ x, y });
    edit?.onAddAfter(
      { from: handle.nodeId, case: fromHandle(handle.id) },
      {
        anchor: { left: x, top: y, right: x, bottom: y },
        position: [at.x, at.y - itemHeightPx / 2],
      },
    );
  });
  const onAddAfter = useStable((place: InsertPoint, spot: Spot) => edit?.onAddAfter(place, spot));
  const onDisconnect = useStable((edge: Edge) => edit?.onDisconnect(edge));
  const onResize = useStable((id: string, size: Position) => edit?.onResize(id, size));
  const actions = useMemo(
    () => ({ isReadOnly, onAddAfter, onDisconnect, onResize }),
    [isReadOnly, onAddAfter, onDisconnect, onResize],
  );
  return { onConnect, onConnectEnd, actions };
}
