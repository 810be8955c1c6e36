/** Pseudo-random numbers, reproducible by seed. */
export type Random = {
  /** An integer from 0 to `bound` - 1. */
  below(bound: number): number;
  pick<T>(list: readonly T[]): T;
};

/** SplitMix32. */
export function createRandom(seed: number): Random {
  let state = seed | 0;
  const next = () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  };
  const below = (bound: number) => next() % bound;
  return {
    below,
    pick(list) {
      const picked = list[below(list.length)];
      if (picked === undefined) throw new Error("The list is empty.");
      return picked;
    },
  };
}
