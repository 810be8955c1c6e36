import { type KeyboardEvent, useEffect, useRef } from "react";
import { isPlainPress, takesLetters } from "../../ui/keys/plain-key.ts";

type Moves = { onNext: (() => void) | null; onPrevious: (() => void) | null; onClose: () => void };

/** A tree of a request scrolls by the arrow keys, and these move by them. */
const ownArrows = "[role=group], [role=slider], [role=tab]";

/**
 * The keys of the open call: j and k anywhere around it, arrow keys within it, and Escape. In the list, arrow keys move
 * between the calls. Keys in a dialog, which is a child for React only, are left to it.
 */
export function toPanelKeys(isOpen: boolean, { onNext, onPrevious, onClose }: Moves) {
  return (event: KeyboardEvent<HTMLElement>) => {
    const { target, currentTarget, key } = event;
    if (!isOpen || event.shiftKey || !isPlainPress(event.nativeEvent)) return;
    if (!(target instanceof Element) || !currentTarget.contains(target)) return;
    if (takesLetters(target)) return;
    const hasArrows = target.closest("aside") !== null && target.closest(ownArrows) === null;
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
