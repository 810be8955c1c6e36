const framesMax = 30;

/** Moves the focus to an item. A new one can take it a few frames after it was added. */
export async function focusWhenShown(page: HTMLElement | null, id: string): Promise<void> {
  for (let frame = 0; frame < framesMax; frame += 1) {
    await new Promise((resolve) => requestAnimationFrame(resolve));
    const item = page?.querySelector<HTMLElement>(`[data-item="${CSS.escape(id)}"]`);
    item?.focus({ preventScroll: true });
    if (item !== undefined && item !== null && item === document.activeElement) return;
  }
}
