import { useReactFlow, useStoreApi, type Viewport } from "@xyflow/react";
import { type RefObject, useRef, useState } from "react";
import { type CanvasMotion, createMotion } from "./canvas-motion.ts";
import { holdLayers } from "./hold-layers.ts";
import type { FrameEvents } from "./use-frame-events.ts";
import { useStable } from "./use-stable.ts";
import { useWheelRest } from "./use-wheel-rest.ts";

/** Below this, less of the items is drawn, because it cannot be read. */
const farZoom = 0.35;

type Move = MouseEvent | TouchEvent | null;
/** What moves the view: a wheel, or a button or finger that is held down. Null is a command. */
type Gesture = "wheel" | "press" | null;

/**
 * Moves the view without the graph library, which compares every item and connection in each change: while a gesture
 * lasts, only the transform of the graph is written. The library learns the view at the end.
 */
export function useCanvasMotion(
  pane: RefObject<HTMLElement | null>,
  events: FrameEvents,
  isLight: boolean,
) {
  const store = useStoreApi();
  const flow = useReactFlow();
  const [motion] = useState<CanvasMotion>(() => createMotion({ x: 0, y: 0, zoom: 1 }));
  /** The library reports changes instead of applying them once it has a view. It is never given another. */
  const [viewport, setViewport] = useState<Viewport>();
  const gesture = useRef<Gesture>(null);
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
    if (gesture.current === null || !isLight) return show(view);
    // Several moves of a finger may be in one frame.
    if (frame.current !== 0) return;
    askedAt.current = events.cameAt ?? performance.now();
    if (events.cameAt !== null) draw();
    else frame.current = requestAnimationFrame(draw);
  });
  const onMoveStart = useStable((event: Move) => {
    gesture.current = toGesture(event);
    if (gesture.current === "wheel") wheel.start();
    else wheel.finish();
  });
  const onMove = useStable((event: Move) => {
    gesture.current ??= toGesture(event);
    if (event?.type === "mousemove") pane.current?.toggleAttribute("data-panning", true);
  });
  const onMoveEnd = useStable((event: Move) => {
    // The library ends a gesture some time after its last move, when the next one may have begun.
    if (isOther(event) && isGoingOn()) return;
    gesture.current = null;
    pane.current?.removeAttribute("data-panning");
    if (!wheel.rest()) finish();
  });
  const isOther = (event: Move) => toGesture(event) !== gesture.current;
  // A press that has ended may be followed by the wheel that turned during it.
  const isGoingOn = () =>
    gesture.current === "wheel" ||
    (gesture.current === "press" && pane.current?.matches(":active") === true);
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

function toGesture(event: Move): Gesture {
  if (event === null) return null;
  return event.type === "wheel" ? "wheel" : "press";
}

function toTransform({ x, y, zoom }: Viewport): string {
  return `translate(${x}px,${y}px) scale(${zoom})`;
}
