import { type ChunkReader, createChunkReader } from "../../lib/streams/read-chunks.ts";

/** The bodies of requests that were answered before all of it was read. */
export type UnreadBodies = {
  /** Keeps the reader of a body whose reader has stopped early. */
  keep(req: Request, reader: ChunkReader): void;
  /** The reader of the rest; null if nothing is left to read. */
  take(req: Request): ChunkReader | null;
};

export function createUnreadBodies(): UnreadBodies {
  const kept = new WeakMap<Request, ChunkReader>();
  return {
    keep: (req, reader) => void kept.set(req, reader),
    take(req) {
      const reader = kept.get(req);
      if (reader !== undefined) {
        kept.delete(req);
        return reader;
      }
      if (req.bodyUsed || req.body === null || req.body.locked) return null;
      return createChunkReader(req.body.getReader());
    },
  };
}
