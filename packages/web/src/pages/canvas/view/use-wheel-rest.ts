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
 * when the wheel rests, or before anything else that the user does. While it turns, a cover over the graph is its target,
 * so that the browser does not search the items and connections for it at each turn.
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
      const onInput = ({ type }: Event) => {
        // What is pressed is where it is drawn, also if the library has not seen the end of the wheel.
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
      // The next press, also of a pointer that does not move, is of what it sees.
      cover(false);
      timer = setTimeout(finish, Math.min(restMsMax, Math.max(restMs, restFrames * frameMs)));
      return true;
    },
  };
}
