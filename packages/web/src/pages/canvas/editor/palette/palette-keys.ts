import type { KeyboardEvent } from "react";

type Deps = {
  onClose: () => void;
  /** Goes back to the list before. Null in the first one. */
  onUp: (() => void) | null;
};

/**
 * Up and down go through the entries, Enter in the search takes the first, right opens a connector or row, left goes
 * back, and Escape closes the palette.
 */
export function handlePaletteKey(
  event: KeyboardEvent<HTMLElement>,
  list: HTMLElement | null,
  { onClose, onUp }: Deps,
): void {
  if (event.key === "Escape") {
    event.stopPropagation();
    onClose();
    return;
  }
  const buttons = [...(list?.querySelectorAll("button") ?? [])];
  const { activeElement } = document;
  const at = activeElement instanceof HTMLButtonElement ? buttons.indexOf(activeElement) : -1;
  const search = event.currentTarget.querySelector("input");
  // In a typed text, these keys move the caret or take a character away.
  const isFree = at >= 0 || (activeElement === search && search?.value === "");
  const run = () => {
    switch (event.key) {
      case "Enter":
        if (at >= 0 || activeElement !== search) return null;
        // While operations are searched for, the first entry is not the one that is meant.
        return isUnsettled(list) ? undefined : buttons[0]?.click();
      case "ArrowDown":
        return buttons[at + 1]?.focus();
      case "ArrowUp":
        return at > 0 ? buttons[at - 1]?.focus() : search?.focus();
      case "ArrowRight":
        return buttons[at]?.matches("[data-opens]") ? buttons[at]?.click() : null;
      case "ArrowLeft":
      case "Backspace":
        return isFree && onUp !== null ? backTo(search, onUp) : null;
      default:
        return null;
    }
  };
  if (run() !== null) event.preventDefault();
}

/** Operations are searched for, and no step that is meant stands above them. */
function isUnsettled(list: HTMLElement | null): boolean {
  const isSearching = list?.querySelector("[data-searching]") != null;
  return isSearching && list?.querySelector("[draggable]") == null;
}

function backTo(search: HTMLElement | null, onUp: () => void): void {
  onUp();
  search?.focus();
}
