const framesMax = 30;

const inputs = ":is(input, textarea, select, [contenteditable=true]):not(:disabled)";
const first = `[data-inspector] :is([data-first-field]${inputs}, [data-first-field] ${inputs})`;
const any = `[data-inspector] [data-field] ${inputs}`;
const naming = `[data-inspector] ${inputs}`;

/**
 * Moves the focus to the first field of the inspector, and to the name of an item without fields. The inspector of an
 * item that was just selected is there a few frames later.
 */
export async function focusFirstField(page: HTMLElement | null): Promise<void> {
  for (let frame = 0; frame < framesMax; frame += 1) {
    const field = page?.querySelector<HTMLElement>(first) ?? page?.querySelector<HTMLElement>(any);
    const found = field ?? page?.querySelector<HTMLElement>(naming);
    if (found != null) return found.focus();
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
}
