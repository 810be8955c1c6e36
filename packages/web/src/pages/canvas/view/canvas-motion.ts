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
  const end = motion.subscribe((isMoving) => {
    clearTimeout(timer);
    if (isMoving) timer = setTimeout(listener, restMs);
    else listener();
  });
  return () => {
    end();
    clearTimeout(timer);
  };
}
