/** Keeps the items with the highest scores, without sorting the others. */
export type TopItems<Item> = {
  add(item: Item, score: number): void;
  /** The kept items, highest score first. Items with equal scores keep their order. */
  best(): Item[];
  /** The number of added items, kept or not. */
  total(): number;
};

export function createTopItems<Item>(countMax: number): TopItems<Item> {
  const kept: Array<{ item: Item; score: number }> = [];
  let added = 0;
  return {
    add(item, score) {
      added += 1;
      const worst = kept[countMax - 1];
      if (worst !== undefined && score <= worst.score) return;
      kept.splice(findInsertIndex(kept, score), 0, { item, score });
      if (kept.length > countMax) kept.pop();
    },
    best: () => kept.map(({ item }) => item),
    total: () => added,
  };
}

/** The first index with a lower score, so that items with equal scores keep their order. */
function findInsertIndex(kept: ReadonlyArray<{ score: number }>, score: number): number {
  let low = 0;
  let high = kept.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((kept[middle]?.score ?? 0) < score) high = middle;
    else low = middle + 1;
  }
  return low;
}
