import type { Viewport } from "@xyflow/react";

/** Where the view is, also while a gesture moves it, and the connections that are drawn. */
export type CanvasMotion = {
  readonly viewport: Viewport;
  /** Is called in each change. */
  subscribe(listener: () => void): () => void;
  set(viewport: Viewport): void;
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
      for (const listener of listeners) listener();
    },
  };
}
