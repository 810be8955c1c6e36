import { useReactFlow, useStoreApi, type Viewport } from "@xyflow/react";
import { type RefObject, useRef, useState } from "react";
import { type CanvasMotion, createMotion } from "./canvas-motion.ts";
import { holdLayers } from "./hold-layers.ts";
import { useStable } from "./use-stable.ts";
import { useWheelRest } from "./use-wheel-rest.ts";

/** Below this, less of the items is drawn, because it cannot be read. */
const farZoom = 0.35;

type Move = MouseEvent | TouchEvent | null;

/**
 * Moves the view without the graph library, which compares every item and connection in each change: while a gesture
 * lasts, only the transform of the graph is written. The library learns the view at the end.
 */
export function useCanvasMotion(pane: RefObject<HTMLElement | null>, isLight: boolean) {
  const store = useStoreApi();
  const flow = useReactFlow();
  const [motion] = useState<CanvasMotion>(() => createMotion({ x: 0, y: 0, zoom: 1 }));
  /** The library reports changes instead of applying them once it has a view. It is never given another. */
  const [viewport, setViewport] = useState<Viewport>();
  const isGesture = useRef(false);
  const frame = useRef(0);
  const askedAt = useRef(0);
  const layers = useRef<(() => void) | null>(null);

  const draw = () => {
    frame.current = 0;
    wheel.recordFrame(performance.now() - askedAt.current);
    const graph = pane.current?.querySelector<HTMLElement>(".react-flow__viewport");
    if (layers.current === null) {
      const moved = pane.current?.querySelectorAll("[data-layer], .react-flow__viewport");
      layers.current = holdLayers(moved ?? []);
    }
    if (graph != null) graph.style.transform = toTransform(motion.viewport);
    motion.draw(true);
  };
  const show = ({ x, y, zoom }: Viewport) => {
    cancelAnimationFrame(frame.current);
    frame.current = 0;
    store.setState({ transform: [x, y, zoom] });
    pane.current?.toggleAttribute("data-far", zoom < farZoom);
    motion.draw(false);
  };
  const finish = useStable(() => {
    layers.current?.();
    layers.current = null;
    if (viewport !== undefined) show(motion.viewport);
  });
  const wheel = useWheelRest(pane, finish);
  const onViewportChange = useStable((view: Viewport) => {
    motion.set(view);
    if (!isGesture.current || !isLight) return show(view);
    // Several moves of the pointer may be in one frame.
    if (frame.current !== 0) return;
    frame.current = requestAnimationFrame(draw);
    askedAt.current = performance.now();
  });
  const onMoveStart = useStable((event: Move) => {
    isGesture.current = event !== null;
    if (event?.type === "wheel") wheel.start();
    else wheel.finish();
  });
  const onMove = useStable((event: Move) => {
    if (event?.type === "mousemove") pane.current?.toggleAttribute("data-panning", true);
  });
  const onMoveEnd = useStable(() => {
    isGesture.current = false;
    pane.current?.removeAttribute("data-panning");
    if (!wheel.rest()) finish();
  });
  /** To be called when the library shows its first view. */
  const start = () => {
    const view = flow.getViewport();
    motion.set(view);
    show(view);
    setViewport(view);
  };
  const props = { viewport, onViewportChange, onMoveStart, onMove, onMoveEnd };
  return { motion, start, props };
}

function toTransform({ x, y, zoom }: Viewport): string {
  return `translate(${x}px,${y}px) scale(${zoom})`;
}
