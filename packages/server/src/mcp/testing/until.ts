/** Lets the event loop do what it has ready. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Waits for what the event loop is about to bring. */
export async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await nextTurn();
}
