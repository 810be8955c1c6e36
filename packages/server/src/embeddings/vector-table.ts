import { measureLength, type SmallVector } from "./small-vector.ts";

/**
 * Vectors in memory, each in a slot. A text keeps its slot, so that indexes can hold the number of
 * the slot before its vector is there.
 */
export type VectorTable = {
  /** The slot of a text, by the text's hash. A new hash gets a new slot. */
  toSlot(hash: string): number;
  has(hash: string): boolean;
  /** Ignores a vector of another size: false. The first vector sets the size. */
  put(hash: string, vector: SmallVector): boolean;
  /** The size of the vectors; null before the first. */
  dimensions(): number | null;
  /** Forgets all vectors. From now on, vectors have this size. Slots stay. */
  reset(dimensions: number | null): void;
  /** The number of slots, with or without a vector. */
  size(): number;
  /** The number of vectors. */
  count(): number;
  /**
   * Writes the cosines of a vector with those in the wanted slots to `found`, each at its slot's
   * place in `slots`. Slots without a vector get 0. `wanted` has 1 for each place to compare.
   */
  compare(vector: SmallVector, options: Comparison): Promise<void>;
};

export type Comparison = {
  slots: Int32Array;
  wanted: Uint8Array;
  found: Float32Array;
  /** Awaited between portions. */
  pause(): Promise<void>;
};

/** Vectors lie in blocks, so that the table grows without a copy of everything. */
const blockSlots = 1024;
/** Under 1 ms of work, and some ms at first, before the loop is compiled. */
const productsPerPortion = 1_000_000;

export function createVectorTable(): VectorTable {
  const slotByHash = new Map<string, number>();
  let blocks: Int8Array[] = [];
  let lengths: Float32Array[] = [];
  let dimensions: number | null = null;
  let count = 0;

  const readLength = (slot: number): number =>
    lengths[Math.floor(slot / blockSlots)]?.[slot % blockSlots] ?? 0;

  return {
    toSlot(hash) {
      const known = slotByHash.get(hash);
      if (known !== undefined) return known;
      const slot = slotByHash.size;
      slotByHash.set(hash, slot);
      return slot;
    },
    has(hash) {
      const slot = slotByHash.get(hash);
      return slot !== undefined && readLength(slot) !== 0;
    },
    put(hash, vector) {
      dimensions ??= vector.length;
      const length = measureLength(vector);
      if (vector.length !== dimensions || length === 0) return false;
      const slot = this.toSlot(hash);
      const at = Math.floor(slot / blockSlots);
      const block = blocks[at] ?? new Int8Array(blockSlots * dimensions);
      const blockLengths = lengths[at] ?? new Float32Array(blockSlots);
      blocks[at] = block;
      lengths[at] = blockLengths;
      if (blockLengths[slot % blockSlots] === 0) count += 1;
      block.set(vector, (slot % blockSlots) * dimensions);
      blockLengths[slot % blockSlots] = length;
      return true;
    },
    dimensions: () => dimensions,
    reset(next) {
      blocks = [];
      lengths = [];
      dimensions = next;
      count = 0;
    },
    size: () => slotByHash.size,
    count: () => count,
    async compare(vector, { slots, wanted, found, pause }) {
      if (vector.length !== dimensions) return;
      const ownLength = measureLength(vector);
      const portion = Math.max(Math.ceil(productsPerPortion / vector.length), 1);
      let compared = 0;
      // `reset` may replace both while this pauses.
      const [ownBlocks, ownLengths] = [blocks, lengths];
      for (let place = 0; place < slots.length; place += 1) {
        if (wanted[place] !== 1) continue;
        const slot = slots[place] ?? -1;
        const at = Math.floor(slot / blockSlots);
        const length = ownLengths[at]?.[slot % blockSlots] ?? 0;
        const block = ownBlocks[at];
        if (length === 0 || block === undefined) continue;
        const start = (slot % blockSlots) * vector.length;
        found[place] = multiply(block, start, vector) / (length * ownLength);
        compared += 1;
        if (compared % portion === 0) await pause();
      }
    },
  };
}

/** The product of a vector with the one that starts there in a block. */
function multiply(block: Int8Array, start: number, vector: SmallVector): number {
  let sum = 0;
  for (let at = 0; at < vector.length; at += 1) {
    // Both are integers of 32 bits, which is much faster than with numbers.
    sum = (sum + Math.imul(block[start + at] ?? 0, vector[at] ?? 0)) | 0;
  }
  return sum;
}
