import { type RefObject, useEffect, useState } from "react";

/** The pointer and the wheel while a gesture moves something: a frame answers the last event before it. */
export type FrameEvents = {
  /** When the event came that this frame answers, by `performance.now()`. Null if none is handed on now. */
  readonly cameAt: number | null;
};

type Held = {
  event: MouseEvent;
  target: EventTarget;
  cameAt: number;
  /** How far the wheel has turned since the frame before. */
  turned: { deltaX: number; deltaY: number };
};

/** What ends a gesture, so that the last move must be handed on first. */
const ends = ["pointerdown", "pointerup", "mouseup", "keydown"] as const;
const moving = "[data-panning], [data-dragging]";

/**
 * Holds back the moves of the pointer and the turns of the wheel until the next frame, and hands on one for all of
 * them: each one costs the graph library and React about as much as a frame. Only the window gets the moves.
 */
export function useFrameEvents(pane: RefObject<HTMLElement | null>): FrameEvents {
  const [events] = useState(() => createFrameEvents(pane));
  useEffect(() => events.listen(), [events]);
  return events;
}

function createFrameEvents(pane: RefObject<HTMLElement | null>) {
  let held: Held | null = null;
  let frame = 0;
  let cameAt: number | null = null;
  const handOn = () => {
    cancelAnimationFrame(frame);
    frame = 0;
    if (held === null) return;
    const { target, event, turned } = held;
    cameAt = held.cameAt;
    held = null;
    const copy =
      event instanceof WheelEvent ? copyTurn(event, turned) : new MouseEvent(event.type, event);
    target.dispatchEvent(copy);
    cameAt = null;
  };
  const hold = (event: MouseEvent, target: EventTarget, turned = { deltaX: 0, deltaY: 0 }) => {
    event.preventDefault();
    event.stopImmediatePropagation();
    held = { event, target, turned, cameAt: held?.cameAt ?? performance.now() };
    frame ||= requestAnimationFrame(handOn);
  };
  const isMoving = () => pane.current?.matches(moving) === true;
  const onPointer = (event: Event) => {
    if (isMoving()) event.stopImmediatePropagation();
  };
  const onMouse = (event: MouseEvent) => {
    // One that is not trusted is handed on.
    if (event.isTrusted && isMoving()) hold(event, window);
  };
  const onWheel = (event: WheelEvent) => {
    const { isTrusted, target } = event;
    if (!isTrusted || !(target instanceof Element) || !target.matches("[data-zooming]")) return;
    // With another key held down, a turn does something else.
    if (held?.event.ctrlKey !== event.ctrlKey || held.event.shiftKey !== event.shiftKey) handOn();
    const { deltaX, deltaY } = held?.turned ?? { deltaX: 0, deltaY: 0 };
    hold(event, target, { deltaX: deltaX + event.deltaX, deltaY: deltaY + event.deltaY });
  };
  return {
    get cameAt() {
      return cameAt;
    },
    /** Returns the end. */
    listen() {
      const ended = new AbortController();
      const options = { capture: true, passive: false, signal: ended.signal };
      window.addEventListener("pointermove", onPointer, options);
      window.addEventListener("mousemove", onMouse, options);
      window.addEventListener("wheel", onWheel, options);
      for (const type of ends) window.addEventListener(type, handOn, options);
      return () => {
        ended.abort();
        cancelAnimationFrame(frame);
      };
    },
  };
}

function copyTurn(event: WheelEvent, turned: Held["turned"]): WheelEvent {
  const { clientX, clientY, deltaMode, ctrlKey, shiftKey, altKey, metaKey, view } = event;
  const keys = { ctrlKey, shiftKey, altKey, metaKey };
  const options = { bubbles: true, cancelable: true, view, clientX, clientY, deltaMode };
  return new WheelEvent(event.type, { ...options, ...keys, ...turned });
}
