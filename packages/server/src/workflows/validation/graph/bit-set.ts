/** A set of small whole numbers. Unions and intersections handle 32 numbers at a time. */
export type BitSet = Uint32Array;

/** An empty set for numbers below `size`. */
export function createBitSet(size: number): BitSet {
  return new Uint32Array((size + 31) >>> 5);
}

export function addBit(set: BitSet, bit: number): void {
  const word = bit >>> 5;
  set[word] = (set[word] ?? 0) | (1 << (bit & 31));
}

export function hasBit(set: BitSet, bit: number): boolean {
  return (((set[bit >>> 5] ?? 0) >>> (bit & 31)) & 1) === 1;
}

/** Adds every number of `other` to `set`. */
export function addBits(set: BitSet, other: BitSet): void {
  for (let word = 0; word < set.length; word++) set[word] = (set[word] ?? 0) | (other[word] ?? 0);
}

/** Keeps the numbers of `set` that are in `one` or `two`. */
export function keepBits(set: BitSet, one: BitSet, two: BitSet): void {
  for (let word = 0; word < set.length; word++) {
    set[word] = (set[word] ?? 0) & ((one[word] ?? 0) | (two[word] ?? 0));
  }
}
