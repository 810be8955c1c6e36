import type { Connection, FinalConnectionState } from "@xyflow/react";
import { useMemo } from "react";
import type { Edge, Position } from "../graph/body.ts";
import type { InsertPoint } from "../graph/commands.ts";
import { fromHandle } from "../graph/flow.ts";
import type { CanvasEdits } from "./canvas-props.ts";
import { useStable } from "./use-stable.ts";

/** What the items and connections on the canvas do, and the lines that are drawn between them. */
export function useCanvasActions(edit: CanvasEdits | undefined) {
  const isReadOnly = edit === undefined;
  const onConnect = useStable(({ source, target, sourceHandle }: Connection) => {
    const name = fromHandle(sourceHandle);
    edit?.onConnect({ from: source, to: target, ...(name !== undefined && { case: name }) });
  });
  const onConnectEnd = useStable((_: unknown, state: FinalConnectionState) => {
    // A line that ends on the ground asks for a new node there.
    const { fromHandle: handle, isValid, toNode } = state;
    if (isValid === true || toNode !== null || handle?.type !== "source") return;
    edit?.onAddAfter({ from: handle.nodeId, case: fromHandle(handle.id) });
  });
  const onAddAfter = useStable((place: InsertPoint) => edit?.onAddAfter(place));
  const onDisconnect = useStable((edge: Edge) => edit?.onDisconnect(edge));
  const onResize = useStable((id: string, size: Position) => edit?.onResize(id, size));
  const actions = useMemo(
    () => ({ isReadOnly, onAddAfter, onDisconnect, onResize }),
    [isReadOnly, onAddAfter, onDisconnect, onResize],
  );
  return { onConnect, onConnectEnd, actions };
}
