/**
 * The `ref` of the chosen tab: on a narrow screen, where the list of tabs scrolls, it comes into view. The page does not
 * move.
 */
export function showTab(tab: HTMLElement | null): void {
  const list = tab?.parentElement;
  if (tab === null || list === null || list === undefined) return;
  if (list.scrollWidth <= list.clientWidth) return;
  const [own, all] = [tab.getBoundingClientRect(), list.getBoundingClientRect()];
  list.scrollLeft += own.left + own.width / 2 - (all.left + all.width / 2);
}
