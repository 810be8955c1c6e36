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
      const place = kept.findIndex((other) => other.score < score);
      kept.splice(place === -1 ? kept.length : place, 0, { item, score });
      if (kept.length > countMax) kept.pop();
    },
    best: () => kept.map(({ item }) => item),
    total: () => added,
  };
}
