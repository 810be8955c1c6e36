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

/** What need not follow each frame, such as the map, follows this often. */
const restMs = 400;

/** Calls a listener now and then while the view moves, and after that. Returns the end. */
export function subscribeSlowly(motion: CanvasMotion, listener: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const call = () => {
    clearTimeout(timer);
    timer = undefined;
    listener();
  };
  const end = motion.subscribe((isMoving) => {
    if (!isMoving) call();
    else timer ??= setTimeout(call, restMs);
  });
  return () => {
    end();
    clearTimeout(timer);
  };
}
