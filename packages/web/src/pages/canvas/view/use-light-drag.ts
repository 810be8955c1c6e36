import type { NodeChange } from "@xyflow/react";
import { type RefObject, useRef } from "react";
import type { CanvasNode, LinkFlowEdge } from "../graph/flow.ts";
import type { CanvasMotion } from "./canvas-motion.ts";
import { holdLayers } from "./hold-layers.ts";
import { type LinkRegistry, moveLink } from "./link-registry.ts";
import { type LinkSketch, openSketch } from "./link-sketch.ts";
import type { FrameEvents } from "./use-frame-events.ts";

type Point = readonly [x: number, y: number];
type Deps = {
  pane: RefObject<HTMLElement | null>;
  edges: readonly LinkFlowEdge[];
  registry: LinkRegistry;
  motion: CanvasMotion;
  events: FrameEvents;
};
type Move = { id: string; from: Point; to: Point };
type Dragged = {
  elements: Map<string, HTMLElement>;
  links: readonly LinkFlowEdge[];
  sketch: LinkSketch | null;
  /** What the next frame draws. */
  moves: readonly Move[];
  frame: number;
  release: () => void;
};

const still: Point = [0, 0];

/**
 * Moves dragged items and their connections without React, which would compare the whole graph in each frame. The
 * change at the end of the drag is drawn by React, at the same place.
 */
export function useLightDrag({ pane, edges, registry, motion, events }: Deps) {
  const dragged = useRef<Dragged | null>(null);
  const start = (ids: ReadonlySet<string>): Dragged => {
    const elements = new Map<string, HTMLElement>();
    for (const id of ids) {
      const element = pane.current?.querySelector<HTMLElement>(
        `.react-flow__node[data-id="${CSS.escape(id)}"]`,
      );
      if (element == null) continue;
      elements.set(id, element);
    }
    pane.current?.toggleAttribute("data-dragging", true);
    const links = edges.filter((link) => ids.has(link.source) || ids.has(link.target));
    const canvas = pane.current?.querySelector("canvas");
    const sketch =
      canvas == null || links.length === 0
        ? null
        : openSketch(
            canvas,
            registry,
            links.map(({ id }) => id),
          );
    const release = holdLayers(elements.values());
    return { elements, links, sketch, moves: [], frame: 0, release };
  };
  const end = () => {
    for (const { style } of dragged.current?.elements.values() ?? []) {
      style.transform = "none";
    }
    cancelAnimationFrame(dragged.current?.frame ?? 0);
    dragged.current?.release();
    dragged.current?.sketch?.close();
    pane.current?.removeAttribute("data-dragging");
    dragged.current = null;
  };
  const draw = () => {
    if (dragged.current === null) return;
    const { elements, links, sketch, moves } = dragged.current;
    dragged.current.frame = 0;
    const shifts = new Map<string, Point>();
    for (const { id, from, to } of moves) {
      const [byX, byY] = [to[0] - from[0], to[1] - from[1]];
      shifts.set(id, [byX, byY]);
      const element = elements.get(id);
      if (element !== undefined) element.style.transform = `translate(${byX}px,${byY}px)`;
    }
    const paths = new Map<string, string>();
    for (const { id, source, target } of links) {
      const shift = { source: shifts.get(source) ?? still, target: shifts.get(target) ?? still };
      const path = moveLink(registry, id, shift);
      if (path !== null) paths.set(id, path);
    }
    sketch?.draw(paths, motion.viewport);
  };
  /** Whether the changes are those of a drag that goes on, and are drawn. */
  return (
    changes: ReadonlyArray<NodeChange<CanvasNode>>,
    nodes: readonly CanvasNode[],
  ): boolean => {
    const moved = new Map(
      changes.flatMap((change) =>
        change.type === "position" && change.dragging === true && change.position !== undefined
          ? [[change.id, change.position] as const]
          : [],
      ),
    );
    if (moved.size === 0 || moved.size < changes.length) {
      if (changes.some(({ type }) => type === "position")) end();
      return false;
    }
    dragged.current ??= start(new Set(moved.keys()));
    dragged.current.moves = nodes.flatMap(({ id, position }) => {
      const to = moved.get(id);
      return to === undefined ? [] : [{ id, from: [position.x, position.y], to: [to.x, to.y] }];
    });
    if (events.cameAt !== null) draw();
    else dragged.current.frame ||= requestAnimationFrame(draw);
    return true;
  };
}
