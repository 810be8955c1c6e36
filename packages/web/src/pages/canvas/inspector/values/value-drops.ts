import type { DragEvent } from "react";
import type { ValuePath } from "../../expressions/write-expression.ts";
import { type InsertTargets, valueMime } from "./insert-targets.ts";

/** Lets fields take values that are dragged from the tree. */
export function toValueDrops(targets: InsertTargets) {
  let over: Element | null = null;
  const mark = (field: Element | null) => {
    if (field === over) return;
    over?.removeAttribute("data-dropping");
    field?.setAttribute("data-dropping", "");
    over = field;
  };
  return {
    onDragOver(event: DragEvent) {
      const field = event.dataTransfer.types.includes(valueMime) ? findField(event.target) : null;
      mark(field);
      if (field === null) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = "copy";
    },
    onDragLeave(event: DragEvent) {
      if (findField(event.relatedTarget) !== over) mark(null);
    },
    onDrop(event: DragEvent) {
      const field = findField(event.target);
      const text = event.dataTransfer.getData(valueMime);
      mark(null);
      if (field === null || text === "") return;
      event.preventDefault();
      const input =
        event.target instanceof Element ? event.target.closest("textarea, input") : null;
      if (input !== null) moveCaret(input, event);
      // The tree wrote it.
      targets.insert(JSON.parse(text) as ValuePath, input ?? field);
    },
  };
}

function findField(target: EventTarget | null): Element | null {
  return target instanceof Element ? target.closest("[data-takes-values]") : null;
}

type CaretDocument = Document & {
  caretPositionFromPoint?(x: number, y: number): { offsetNode: Node; offset: number } | null;
};

/** To where the pointer is, as far as the browser says it; else to the end. */
function moveCaret(input: Element, { clientX, clientY }: DragEvent): void {
  if (!(input instanceof HTMLTextAreaElement)) return;
  // Part of a standard that TypeScript's library does not declare yet.
  const found = (document as CaretDocument).caretPositionFromPoint?.(clientX, clientY);
  const at = found != null && found.offsetNode === input ? found.offset : input.value.length;
  input.setSelectionRange(at, at);
}
