import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from "react";
import { isPlainPress } from "../../../ui/keys/plain-key.ts";
import { chooseRange } from "./choose-range.ts";
import type { ReviewLine } from "./review-line.ts";

type ReviewKeyOptions = {
  body: RefObject<HTMLDivElement | null>;
  lines: readonly ReviewLine[];
  chosen: ReadonlySet<string>;
  onChoose: (chosen: ReadonlySet<string>) => void;
  onApprove: ((keys: readonly string[]) => void) | undefined;
  onUnfold: ((key: string) => void) | undefined;
  scrollTo: (index: number) => void;
};

/** The line on which keys act, and what the keys do. */
export function useReviewKeys(given: ReviewKeyOptions) {
  const { body, lines, chosen, onChoose, onApprove, onUnfold, scrollTo } = given;
  const [current, setCurrent] = useState<number | null>(null);
  const [moveTo, setMoveTo] = useState<number | null>(null);
  const last = useRef<number | null>(null);
  useEffect(() => {
    if (moveTo === null) return;
    const row = body.current?.querySelector(`[data-index="${moveTo}"]`);
    if (row === null || row === undefined) return;
    row.querySelector<HTMLElement>("input, button")?.focus();
    setMoveTo(null);
  });
  const toggle = (index: number, isRange: boolean) => {
    onChoose(chooseRange(lines, chosen, { from: isRange ? last.current : null, to: index }));
    last.current = index;
    setCurrent(index);
  };
  const move = (to: number) => {
    if (to < 0 || to >= lines.length) return;
    scrollTo(to);
    setCurrent(to);
    setMoveTo(to);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const target = event.target as HTMLElement;
    if (!isPlainPress(event.nativeEvent)) return;
    // What is unfolded may have fields of its own.
    if (target.matches("textarea, input:not([type=checkbox])")) return;
    const index = Number(target.closest<HTMLElement>("[data-index]")?.dataset.index ?? Number.NaN);
    const line = lines[index];
    if (line === undefined) return;
    const acts: Record<string, () => void> = {
      j: () => move(index + 1),
      ArrowDown: () => move(index + 1),
      k: () => move(index - 1),
      ArrowUp: () => move(index - 1),
      Home: () => move(0),
      End: () => move(lines.length - 1),
      a: () => onApprove?.(chosen.size > 0 ? [...chosen] : line.isOpen ? [line.key] : []),
      // Elsewhere Enter presses the button that has the focus.
      ...(target.matches("input") && { Enter: () => onUnfold?.(line.key) }),
      ...(target.matches("input") &&
        event.shiftKey && { " ": () => line.isOpen && toggle(index, true) }),
    };
    const act = acts[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  };
  return { current, toggle, onKeyDown };
}
