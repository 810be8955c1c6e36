/** Keeps the best of many, without sorting the rest. */
export type BestFirst<Item> = {
  add(item: Item, score: number): void;
  /** Highest score first; equals in the order in which they came. */
  best(): Item[];
  /** How many were added. */
  total(): number;
};

export function createBestFirst<Item>(countMax: number): BestFirst<Item> {
  const kept: Array<{ item: Item; score: number }> = [];
  let added = 0;
  return {
    add(item, score) {
      added += 1;
      const worst = kept[countMax - 1];
      if (worst !== undefined && score <= worst.score) return;
      kept.splice(findPlace(kept, score), 0, { item, score });
      if (kept.length > countMax) kept.pop();
    },
    best: () => kept.map(({ item }) => item),
    total: () => added,
  };
}

/** The first place whose score is lower: equals stay in the order in which they came. */
function findPlace(kept: ReadonlyArray<{ score: number }>, score: number): number {
  let low = 0;
  let high = kept.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((kept[middle]?.score ?? 0) < score) high = middle;
    else low = middle + 1;
  }
  return low;
}
