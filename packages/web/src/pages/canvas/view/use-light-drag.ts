import type { NodeChange } from "@xyflow/react";
import { type RefObject, useRef } from "react";
import type { CanvasNode, LinkFlowEdge } from "../graph/flow.ts";
import { drawLink, type LinkRegistry } from "./link-registry.ts";

type Point = readonly [x: number, y: number];
type Deps = {
  pane: RefObject<HTMLElement | null>;
  edges: readonly LinkFlowEdge[];
  registry: LinkRegistry;
};
type Dragged = { elements: Map<string, HTMLElement>; links: readonly LinkFlowEdge[] };

const still: Point = [0, 0];

/**
 * Moves dragged items and their connections without React, which would compare the whole graph in each frame. The
 * change at the end of the drag is drawn by React, at the same place.
 */
export function useLightDrag({ pane, edges, registry }: Deps) {
  const dragged = useRef<Dragged | null>(null);
  const start = (ids: ReadonlySet<string>): Dragged => {
    const elements = new Map<string, HTMLElement>();
    for (const id of ids) {
      const element = pane.current?.querySelector<HTMLElement>(
        `.react-flow__node[data-id="${CSS.escape(id)}"]`,
      );
      if (element == null) continue;
      element.style.willChange = "transform";
      elements.set(id, element);
    }
    pane.current?.toggleAttribute("data-dragging", true);
    return {
      elements,
      links: edges.filter((link) => ids.has(link.source) || ids.has(link.target)),
    };
  };
  const end = () => {
    for (const element of dragged.current?.elements.values() ?? []) element.style.willChange = "";
    pane.current?.removeAttribute("data-dragging");
    dragged.current = null;
  };
  /** Whether the changes are those of a drag that goes on, and are drawn. */
  return (
    changes: ReadonlyArray<NodeChange<CanvasNode>>,
    nodes: readonly CanvasNode[],
  ): boolean => {
    const moves = changes.flatMap((change) =>
      change.type === "position" && change.dragging === true && change.position !== undefined
        ? [{ id: change.id, to: change.position }]
        : [],
    );
    if (moves.length === 0 || moves.length < changes.length) {
      if (dragged.current !== null && changes.some(({ type }) => type === "position")) end();
      return false;
    }
    dragged.current ??= start(new Set(moves.map(({ id }) => id)));
    const shifts = new Map<string, Point>();
    for (const { id, to } of moves) {
      const from = nodes.find((node) => node.id === id)?.position ?? to;
      shifts.set(id, [to.x - from.x, to.y - from.y]);
      const element = dragged.current.elements.get(id);
      if (element !== undefined) element.style.transform = `translate(${to.x}px,${to.y}px)`;
    }
    for (const { id, source, target } of dragged.current.links) {
      const shift = { source: shifts.get(source) ?? still, target: shifts.get(target) ?? still };
      drawLink(registry, id, shift);
    }
    return true;
  };
}
