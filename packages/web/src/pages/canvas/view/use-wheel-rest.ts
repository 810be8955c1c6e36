import { type RefObject, useEffect, useState } from "react";

/**
 * How long after the end of a turn of the wheel the next one goes on with it, in milliseconds: this, or so many frames
 * if the machine is slow, whose turns come late too.
 */
const restMs = 300;
const restFrames = 20;
const restMsMax = 1500;

/** What a user does next, which needs the graph at its place. */
const inputs = ["pointermove", "pointerdown", "keydown"] as const;

/** The state of a wheel that zooms or moves the graph. */
export type WheelRest = {
  start(): void;
  /** How long the last frame came after it was asked for, in milliseconds. */
  recordFrame(ms: number): void;
  /** The wheel has stopped. Is false if it was another gesture. */
  rest(): boolean;
  /** Ends the gesture of the wheel, if there is one. */
  finish(): void;
};

/**
 * Joins the turns of a wheel to one gesture, because its first and last frame are the longest ones. `onFinish` is called
 * when the wheel rests, or before anything else that the user does. Meanwhile a cover over the graph is the target of
 * the wheel, so that the browser does not search the items and connections for it at each turn.
 */
export function useWheelRest(pane: RefObject<HTMLElement | null>, onFinish: () => void): WheelRest {
  const [wheel] = useState(() => createWheelRest(pane, onFinish));
  useEffect(() => wheel.close, [wheel]);
  return wheel;
}

function createWheelRest(
  pane: RefObject<HTMLElement | null>,
  onFinish: () => void,
): WheelRest & { close(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let turning: AbortController | undefined;
  let frameMs = 0;
  const cover = (isCovered: boolean) =>
    pane.current?.querySelector(".react-flow__pane")?.toggleAttribute("data-zooming", isCovered);
  const isCovered = (target: EventTarget | null) =>
    target instanceof Element && target.matches("[data-zooming]");
  const close = () => {
    clearTimeout(timer);
    timer = undefined;
    turning?.abort();
    turning = undefined;
  };
  const finish = () => {
    if (turning === undefined) return;
    close();
    cover(false);
    onFinish();
  };
  return {
    close,
    finish,
    start() {
      close();
      cover(true);
      turning = new AbortController();
      const onInput = ({ type, target }: Event) => {
        // What is pressed is where it is drawn, also if the library has not seen the end of the wheel.
        if (type === "pointerdown" && isCovered(target)) passPress();
        if (timer !== undefined || type === "pointerdown") finish();
        // A pointer that moves while the wheel turns aims at something below the cover.
        else if (type === "pointermove") cover(false);
      };
      for (const type of inputs)
        window.addEventListener(type, onInput, { capture: true, signal: turning.signal });
    },
    recordFrame(ms) {
      frameMs = ms;
    },
    rest() {
      if (turning === undefined) return false;
      timer = setTimeout(finish, Math.min(restMsMax, Math.max(restMs, restFrames * frameMs)));
      return true;
    },
  };
}

/** Hands a press of the cover to what is below it: a pointer that has not moved since the wheel aims at that. */
function passPress(): void {
  const ended = new AbortController();
  const pass = (event: MouseEvent) => {
    // A click by a key, or the event that this hands on.
    if (!event.isTrusted || event.detail === 0) return;
    if (event.type === "click") ended.abort();
    const below = document.elementFromPoint(event.clientX, event.clientY);
    event.stopImmediatePropagation();
    below?.dispatchEvent(new MouseEvent(event.type, event));
  };
  const options = { capture: true, signal: ended.signal };
  for (const type of ["mousedown", "click"] as const) window.addEventListener(type, pass, options);
  // A press that ends elsewhere has no click.
  window.addEventListener("pointerdown", () => ended.abort(), options);
}
