import { useCallback, useRef } from "react";
import type { CanvasProps } from "./canvas-props.ts";
import { useStable } from "./use-stable.ts";

type Ids = CanvasProps["selected"];
type Held = { isDragging: boolean; ids: Ids | null };

/**
 * Hands the selection to the page, but not while a node is dragged: the inspector would open during the drag, take a
 * part of the graph's width, move the graph below the pointer, and cost more than a frame has.
 */
export function useHeldSelection(onSelect: CanvasProps["onSelect"]) {
  const held = useRef<Held>({ isDragging: false, ids: null });
  const flush = useStable(() => {
    const { isDragging, ids } = held.current;
    if (isDragging || ids === null) return;
    held.current.ids = null;
    onSelect(ids);
  });
  return {
    /** What is selected on the graph, given what the page knows of it. */
    read: useCallback((selected: Ids): Ids => held.current.ids ?? selected, []),
    select(ids: Ids) {
      held.current.ids = ids;
      // The library selects a node before it says that its drag begins, in the same task.
      queueMicrotask(flush);
    },
    onNodeDragStart: useStable(() => {
      held.current.isDragging = true;
    }),
    /** Ends also a drag that the library breaks off. */
    endDrag() {
      held.current.isDragging = false;
      queueMicrotask(flush);
    },
  };
}
