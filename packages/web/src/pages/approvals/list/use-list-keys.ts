import type { RefObject } from "react";
import { useKeys } from "../keys/use-keys.ts";

/**
 * The keys of the list: j and k move between its lines; Enter, o, a and d open the one with the focus. None of them
 * decides, because a decision is on what was read.
 */
export function useListKeys(list: RefObject<HTMLElement | null>, onHelp: () => void): void {
  const move = (by: 1 | -1) => () => {
    const from = findLine();
    const lines = list.current?.querySelectorAll<HTMLElement>("[data-index]") ?? [];
    const to =
      from === null ? lines[0] : findByIndex(list.current, Number(from.dataset.index) + by);
    to?.querySelector<HTMLElement>("a")?.focus();
  };
  const findLine = () => {
    const line = document.activeElement?.closest<HTMLElement>("[data-index]") ?? null;
    return line !== null && list.current?.contains(line) === true ? line : null;
  };
  const open = { run: () => findLine()?.querySelector<HTMLElement>("a")?.click() };
  useKeys(
    {
      j: { run: move(1) },
      k: { run: move(-1) },
      o: open,
      a: open,
      d: open,
      "?": { run: onHelp },
    },
    true,
  );
}

function findByIndex(list: HTMLElement | null, index: number): HTMLElement | undefined {
  return list?.querySelector<HTMLElement>(`[data-index="${index}"]`) ?? undefined;
}
