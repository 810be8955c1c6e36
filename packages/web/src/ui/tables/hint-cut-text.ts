import type { PointerEvent } from "react";

/** Shows the whole text of a cell under the pointer that is cut off and has no hint of its own. */
export function hintCutText({ target }: PointerEvent): void {
  if (!(target instanceof Element)) return;
  const cell = target.closest<HTMLElement>("[role=cell]");
  if (cell === null || cell.querySelector("[title]") !== null) return;
  const parts = [cell, ...cell.querySelectorAll("*")];
  const isCut = parts.some(
    (part) => part.scrollWidth > part.clientWidth && getComputedStyle(part).overflowX !== "visible",
  );
  if (isCut) cell.title = cell.innerText;
  else cell.removeAttribute("title");
}
