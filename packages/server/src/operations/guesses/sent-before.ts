/**
 * What a user has sent to a row, in a fixed size: a table of hashes, in which a newer entry replaces an older one
 * of the same slot. A text whose entry is gone counts again, never the other way round.
 */
export type SentBefore = {
  /** Names texts in their order. */
  toMark(texts: Iterable<string>): Mark;
  has(mark: Mark): boolean;
  record(mark: Mark): void;
};

type Mark = { slot: number; tag: number };

const slots = 4096;

/** 16 KiB. The key is random, so that a caller cannot make texts with equal hashes. */
export function createSentBefore(key: Uint8Array): SentBefore {
  const tags = new Uint32Array(slots);
  return {
    toMark(texts) {
      const hasher = new Bun.CryptoHasher("sha256").update(key);
      // The lengths keep apart what one text and two texts say.
      for (const text of texts) hasher.update(`${text.length}:${text}`);
      const digest = hasher.digest();
      // Zero marks a free slot.
      return { slot: digest.readUInt32LE(0) % slots, tag: digest.readUInt32LE(4) || 1 };
    },
    has: ({ slot, tag }) => tags[slot] === tag,
    record({ slot, tag }) {
      tags[slot] = tag;
    },
  };
}
