/** Pieces of this size are kept as they are; smaller ones are copied together. */
const largeBytesMin = 16 * 1024;
const blockBytesMin = 1024;
const blockBytesMax = 64 * 1024;

/** Joins the pieces of a body. */
export type ByteCollector = {
  add(piece: Uint8Array): void;
  /** The bytes of all pieces. Ends the collector. */
  take(): Uint8Array;
  /** The memory that it holds: at most twice the bytes, plus one small block. */
  heldBytes(): number;
};

/**
 * Small pieces are copied into blocks. Kept as they arrive, each piece of one byte would take a hundred
 * bytes of memory.
 */
export function createByteCollector(): ByteCollector {
  let full: Uint8Array[] = [];
  let block = new Uint8Array(0);
  let used = 0;
  let held = 0;

  /** The block may be half empty: the next piece does not fit or is large. */
  function endBlock(): void {
    if (used > 0) full.push(used === block.length ? block : block.slice(0, used));
    held -= block.length - used;
    block = new Uint8Array(0);
    used = 0;
  }

  function openBlock(bytesMin: number): void {
    const bytes = Math.max(bytesMin, Math.min(blockBytesMax, Math.max(blockBytesMin, held)));
    block = new Uint8Array(bytes);
    held += bytes;
  }

  return {
    add(piece) {
      if (piece.length >= largeBytesMin) {
        endBlock();
        full.push(piece);
        held += piece.length;
        return;
      }
      if (used + piece.length > block.length) {
        endBlock();
        openBlock(piece.length);
      }
      block.set(piece, used);
      used += piece.length;
    },
    take() {
      endBlock();
      const [only] = full;
      const bytes = only !== undefined && full.length === 1 ? only : Buffer.concat(full);
      full = [];
      held = 0;
      return bytes;
    },
    heldBytes: () => held,
  };
}
