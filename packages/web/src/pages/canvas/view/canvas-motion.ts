import type { Viewport } from "@xyflow/react";

/** Where the view is, also while a gesture moves it. */
export type CanvasMotion = {
  readonly viewport: Viewport;
  /** Is called once in each frame that moves the view. */
  subscribe(listener: () => void): () => void;
  set(viewport: Viewport): void;
  draw(): void;
};

export function createMotion(viewport: Viewport): CanvasMotion {
  const listeners = new Set<() => void>();
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
    draw() {
      for (const listener of listeners) listener();
    },
  };
}

/** What need not follow each frame, such as the map, follows this often. */
const restMs = 400;

/** Calls a listener now and then while the view moves, and after that. Returns the end. */
export function subscribeSlowly(motion: CanvasMotion, listener: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const later = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      listener();
    }, restMs);
  };
  const end = motion.subscribe(later);
  return () => {
    end();
    clearTimeout(timer);
  };
}
