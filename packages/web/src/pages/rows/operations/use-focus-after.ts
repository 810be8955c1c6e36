import { useEffect, useRef } from "react";

/** The button that was pressed goes with its operation: keys go on at the next one. */
export function useFocusAfter(review: object) {
  const list = useRef<HTMLUListElement>(null);
  const lead = useRef<HTMLParagraphElement>(null);
  const pressed = useRef<{ at: number; review: unknown } | null>(null);
  useEffect(() => {
    if (pressed.current === null || pressed.current.review === review) return;
    const { at } = pressed.current;
    pressed.current = null;
    const buttons = [...(list.current?.querySelectorAll<HTMLElement>("[data-approve]") ?? [])];
    (buttons[at] ?? buttons.at(-1) ?? lead.current)?.focus();
  }, [review]);
  return {
    list,
    lead,
    keep(at: number) {
      pressed.current = { at, review };
    },
  };
}
