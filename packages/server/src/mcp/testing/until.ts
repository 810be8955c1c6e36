/** Resolves in the next turn of the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Waits, turn by turn, until the condition is true. */
export async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await nextTurn();
}
