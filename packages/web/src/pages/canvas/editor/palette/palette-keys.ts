import type { KeyboardEvent } from "react";

/** Arrow keys go through the entries of the palette, Enter in the search takes the first, and Escape closes it. */
export function handlePaletteKey(
  event: KeyboardEvent<HTMLElement>,
  list: HTMLElement | null,
  onClose: () => void,
): void {
  if (event.key === "Escape") {
    event.stopPropagation();
    onClose();
    return;
  }
  const buttons: Array<Element | null> = [...(list?.querySelectorAll("button") ?? [])];
  const from = buttons.indexOf(document.activeElement);
  const focus = (element: Element | null | undefined) =>
    element instanceof HTMLElement && element.focus();
  if (event.key === "Enter" && from < 0) {
    event.preventDefault();
    const [first] = buttons;
    if (first instanceof HTMLElement) first.click();
    return;
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const search = event.currentTarget.querySelector("input");
  focus(buttons[from + step] ?? (from + step < 0 ? search : null));
}
