/** Pseudo-random choices, reproducible by seed. */
export type Random = {
  /** An integer from 0 to `end` - 1. */
  below(end: number): number;
  pick<Item>(items: readonly [Item, ...Item[]] | readonly Item[]): Item;
  chance(probability: number): boolean;
};

/** Mulberry32: small, fast, and sufficient for fuzzing. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const below = (end: number) => Math.floor(next() * end);
  return {
    below,
    pick(items) {
      const item = items[below(items.length)];
      if (item === undefined) throw new Error("The list is empty.");
      return item;
    },
    chance: (probability) => next() < probability,
  };
}
