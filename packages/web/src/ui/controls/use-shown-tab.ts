import { useLayoutEffect, useRef } from "react";

/** For a list of tabs that may be wider than the window: the chosen one is scrolled into view, sideways only. */
export function useShownTab(tab: string) {
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the chosen tab is read from the page.
  useLayoutEffect(() => {
    const box = list.current;
    const chosen = box?.querySelector("[role=tab][aria-selected=true]");
    if (box === null || chosen == null) return;
    const [outer, inner] = [box.getBoundingClientRect(), chosen.getBoundingClientRect()];
    if (inner.right > outer.right) box.scrollLeft += inner.right - outer.right;
    if (inner.left < outer.left) box.scrollLeft -= outer.left - inner.left;
  }, [tab]);
  return list;
}
