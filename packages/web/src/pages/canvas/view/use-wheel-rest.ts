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
  /** Ends the rest, if there is one. */
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
  const close = () => {
    clearTimeout(timer);
    timer = undefined;
    turning?.abort();
    turning = undefined;
  };
  const finish = () => {
    if (timer === undefined) return;
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
      // A pointer that moves while the wheel turns aims at something below the cover.
      const onInput = () => (timer === undefined ? cover(false) : finish());
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
