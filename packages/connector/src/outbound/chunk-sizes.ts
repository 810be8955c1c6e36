import { Transform } from "node:stream";
import { OutboundError } from "./outbound-error.ts";

/** Each chunk costs half a microsecond, however short it is. */
const chunksMax = 32_768;
const averageBytesMin = 8;

export type ChunkSizes = {
  /** Counts a chunk. Throws an OutboundError if many chunks have fewer than 8 bytes on average. */
  add(bytes: number): void;
};

/** Watches the chunks of an answer, since 4 MiB in chunks of one byte would hold the event loop for seconds. */
export function watchChunkSizes(host: string): ChunkSizes {
  let chunks = 0;
  let bytesRead = 0;
  return {
    add(bytes) {
      chunks += 1;
      bytesRead += bytes;
      if (chunks < chunksMax || bytesRead >= chunks * averageBytesMin) return;
      throw new OutboundError(
        "network",
        `${host} sends its answer in chunks of about ${Math.ceil(bytesRead / chunks)} bytes, which takes too long to read. Let that server, or a proxy before it, send larger chunks.`,
      );
    },
  };
}

/** Passes chunks on and watches their sizes. */
export function createChunkWatcher(host: string): Transform {
  const sizes = watchChunkSizes(host);
  return new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      try {
        sizes.add(chunk.byteLength);
        done(null, chunk);
      } catch (thrown) {
        done(thrown instanceof Error ? thrown : new Error(String(thrown)));
      }
    },
  });
}
