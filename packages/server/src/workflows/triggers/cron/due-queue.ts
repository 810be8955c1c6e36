/** Items by the time at which they are due: a binary heap. */
export type DueQueue<Item extends { dueAt: number }> = {
  /** Replaces all items. */
  fill(items: Iterable<Item>): void;
  add(item: Item): void;
  /** When the next item is due. */
  nextDueAt(): number | null;
  /** Removes an item that is due, the longest due first; null if there is none. */
  takeDue(at: number): Item | null;
};

export function createDueQueue<Item extends { dueAt: number }>(): DueQueue<Item> {
  const heap: Item[] = [];

  function add(item: Item): void {
    let at = heap.push(item) - 1;
    while (at > 0) {
      const parentAt = (at - 1) >> 1;
      const parent = heap[parentAt];
      if (parent === undefined || parent.dueAt <= item.dueAt) break;
      heap[at] = parent;
      at = parentAt;
    }
    heap[at] = item;
  }

  /** Lets an item sink from the top to its place. */
  function sink(item: Item): void {
    let at = 0;
    for (;;) {
      const left = heap[2 * at + 1];
      const right = heap[2 * at + 2];
      const isRight = left !== undefined && right !== undefined && right.dueAt < left.dueAt;
      const child = isRight ? right : left;
      if (child === undefined || child.dueAt >= item.dueAt) break;
      heap[at] = child;
      at = 2 * at + (isRight ? 2 : 1);
    }
    heap[at] = item;
  }

  return {
    fill(items) {
      heap.length = 0;
      for (const item of items) add(item);
    },
    add,
    nextDueAt: () => heap[0]?.dueAt ?? null,
    takeDue(at) {
      const [first] = heap;
      if (first === undefined || first.dueAt > at) return null;
      const last = heap.pop();
      if (last !== undefined && last !== first) sink(last);
      return first;
    },
  };
}
