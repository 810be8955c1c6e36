import { applyNodeChanges, type NodeChange } from "@xyflow/react";
import { useEffect, useState } from "react";
import { type CanvasNode, type ItemRow, toFlowNodes, toPositionStyle } from "../graph/flow.ts";
import type { CanvasProps } from "./canvas-props.ts";
import { useHeldSelection } from "./use-held-selection.ts";
import { useStable } from "./use-stable.ts";

type Shown = Pick<CanvasProps, "body" | "positions" | "selected" | "onSelect" | "toLook"> & {
  isReadOnly: boolean;
  rows: ReadonlyMap<string, ItemRow>;
  /** Draws the changes of a drag that goes on. Is false for other changes. */
  onDrag: (changes: ReadonlyArray<NodeChange<CanvasNode>>, nodes: readonly CanvasNode[]) => boolean;
};

/** A node where a change of the graph library has put it. */
function placeNode(node: CanvasNode): CanvasNode {
  const { x, y } = node.position;
  return node.style?.left === x && node.style.top === y
    ? node
    : { ...node, style: toPositionStyle(x, y) };
}

/** The items as nodes of the graph library, which measures, moves and selects them. */
export function useFlowNodes(shown: Shown) {
  const { body, positions, selected, onSelect, toLook, isReadOnly, rows } = shown;
  const [nodes, setNodes] = useState<CanvasNode[]>([]);
  const { read, select, endDrag, onNodeDragStart } = useHeldSelection(onSelect);
  const first = body.triggers[0]?.id ?? body.nodes[0]?.id ?? null;
  const [only = first] = selected;
  useEffect(() => {
    const options = {
      positions,
      selected: read(selected),
      toLook,
      isReadOnly,
      rows,
      tabStop: only,
    };
    setNodes((before) => {
      const measured = new Map(before.map((node) => [node.id, node.measured]));
      return toFlowNodes(body, options).map((node) => ({
        ...node,
        measured: measured.get(node.id) ?? { width: node.width ?? 0, height: node.height ?? 0 },
      }));
    });
  }, [body, positions, selected, toLook, isReadOnly, rows, only, read]);
  const onNodesChange = useStable((changes: Array<NodeChange<CanvasNode>>) => {
    if (shown.onDrag(changes, nodes)) return;
    if (changes.some((change) => change.type === "position" && change.dragging === false))
      endDrag();
    setNodes((before) => applyNodeChanges(changes, before).map(placeNode));
    const selects = changes.filter((change) => change.type === "select");
    if (selects.length === 0) return;
    const ids = new Set(read(selected));
    for (const { id, selected: isSelected } of selects) {
      if (isSelected) ids.add(id);
      else ids.delete(id);
    }
    select(ids);
  });
  return { nodes, onNodesChange, onNodeDragStart, endDrag };
}
