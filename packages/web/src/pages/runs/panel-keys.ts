import { type KeyboardEvent, useEffect, useRef } from "react";

type Moves = { onNext: (() => void) | null; onPrevious: (() => void) | null; onClose: () => void };

/** Where letters and arrows are for something else. */
const typing = "input, textarea, select, [contenteditable], [role=slider], [role=tab], [role=menu]";

/**
 * The keys of the open call: j and k anywhere around it, arrow keys within it, and Escape. In the list, arrow keys move
 * between the calls. Keys in a dialog, which is a child for React only, are left to it.
 */
export function toListKeys(isOpen: boolean, { onNext, onPrevious, onClose }: Moves) {
  return (event: KeyboardEvent<HTMLElement>) => {
    const { target, currentTarget, key } = event;
    const hasModifier = event.ctrlKey || event.metaKey || event.altKey || event.shiftKey;
    if (!isOpen || event.defaultPrevented || hasModifier) return;
    if (!(target instanceof Element) || !currentTarget.contains(target)) return;
    if (target.closest(typing) !== null) return;
    // A tree of a request scrolls by the arrow keys.
    const hasArrows = target.closest("aside") !== null && target.closest("[role=group]") === null;
    const move = {
      j: onNext,
      k: onPrevious,
      Escape: onClose,
      ...(hasArrows && { ArrowDown: onNext, ArrowUp: onPrevious }),
    }[key];
    if (move === undefined || move === null) return;
    event.preventDefault();
    move();
  };
}

/** Moves the focus to the panel when it opens, and back to the call in the list when it closes. */
export function usePanelFocus(open: string | undefined) {
  const panel = useRef<HTMLElement>(null);
  const before = useRef<string | undefined>(undefined);
  useEffect(() => {
    const closed = before.current;
    before.current = open;
    if (open !== undefined && closed === undefined) panel.current?.focus({ preventScroll: true });
    if (open !== undefined || closed === undefined) return;
    const link = document.querySelector<HTMLElement>(`[data-run="${CSS.escape(closed)}"]`);
    link?.focus({ preventScroll: true });
  }, [open]);
  return panel;
}
