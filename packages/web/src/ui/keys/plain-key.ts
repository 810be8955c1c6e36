/** What is known of a pressed key, of an event of the document. */
export type KeyPress = Pick<
  KeyboardEvent,
  "key" | "isComposing" | "ctrlKey" | "metaKey" | "altKey" | "defaultPrevented"
>;

/**
 * Whether a key stands for itself: nothing else has used it, it is no shortcut of the browser, and no part of a
 * character that an input method composes.
 */
export function isPlainPress(press: KeyPress): boolean {
  const { isComposing, ctrlKey, metaKey, altKey, defaultPrevented } = press;
  return !(isComposing || ctrlKey || metaKey || altKey || defaultPrevented);
}

const fields = "input, textarea, select, [contenteditable], [role=menu], [role=listbox]";

/** Whether letters are written or choose something there. */
export function takesLetters(target: Element): boolean {
  return target.closest(fields) !== null;
}
