import type { Viewport } from "@xyflow/react";

/** Whether the view goes on to move. */
type Listener = (isMoving: boolean) => void;

/** Where the view is, also while a gesture moves it. */
export type CanvasMotion = {
  readonly viewport: Viewport;
  /** The listener is called once in each frame that moves the view. */
  subscribe(listener: Listener): () => void;
  set(viewport: Viewport): void;
  /** Calls the listeners. */
  draw(isMoving: boolean): void;
};

export function createMotion(viewport: Viewport): CanvasMotion {
  const listeners = new Set<Listener>();
  let current = viewport;
  return {
    get viewport() {
      return current;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    set(next) {
      current = next;
    },
    draw(isMoving) {
      for (const listener of listeners) listener(isMoving);
    },
  };
}

/** After this long without a move, in milliseconds, the view rests, also if its gesture goes on. */
const restMs = 300;

/**
 * Calls a listener whenever the view comes to rest. What it draws, such as the map, would take longer than a frame has
 * while the view moves. Returns the end.
 */
export function subscribeToRest(motion: CanvasMotion, listener: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let movedAt = 0;
  // One timer for many frames, because a new one in each of them costs time.
  const wait = (ms: number) => {
    timer = setTimeout(() => {
      timer = undefined;
      const left = movedAt + restMs - performance.now();
      if (left > 0) wait(left);
      else listener();
    }, ms);
  };
  const end = motion.subscribe((isMoving) => {
    movedAt = performance.now();
    if (isMoving && timer === undefined) wait(restMs);
    if (isMoving) return;
    clearTimeout(timer);
    timer = undefined;
    listener();
  });
  return () => {
    end();
    clearTimeout(timer);
  };
}
