/** Where an approval is among those that wait for the user. */
export type QueuePosition = {
  /** From 0. Null for one that does not wait for the user, such as a decided one. */
  at: number | null;
  previous: string | null;
  next: string | null;
};

/**
 * The neighbours of an approval. One that has left the queue, which was at `lastAt`, keeps its place: the next one is
 * that which has taken it.
 */
export function findPosition(queue: readonly string[], id: string, lastAt: number): QueuePosition {
  const at = queue.indexOf(id);
  if (at === -1) {
    return { at: null, previous: queue[lastAt - 1] ?? null, next: queue[lastAt] ?? null };
  }
  return { at, previous: queue[at - 1] ?? null, next: queue[at + 1] ?? null };
}

/** The one that opens after a decision: the next one, else the first that was left out before. */
export function findFollowing(queue: readonly string[], id: string, lastAt: number): string | null {
  return findPosition(queue, id, lastAt).next ?? queue.find((other) => other !== id) ?? null;
}
