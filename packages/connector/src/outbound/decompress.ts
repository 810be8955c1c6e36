import type { IncomingMessage } from "node:http";
import { pipeline, type Readable, Transform } from "node:stream";
import { constants, createBrotliDecompress, createGunzip } from "node:zlib";
import { createChunkWatcher } from "./chunk-sizes.ts";
import { OutboundError } from "./outbound-error.ts";

/** More layers than any server uses. Each layer multiplies the size of a decompression bomb. */
const codingsMax = 2;

export type DecompressOptions = {
  host: string;
  /** What each decoder may read. A body is hardly longer compressed than decompressed. */
  bytesMax: number;
  toTooLarge(): OutboundError;
};

/**
 * Decodes the content codings of a body and removes their headers. A body in an unknown coding
 * stays unchanged, with its headers.
 */
export function decompress(
  message: IncomingMessage,
  headers: Headers,
  { host, bytesMax, toTooLarge }: DecompressOptions,
): Readable {
  const codings = (headers.get("content-encoding") ?? "")
    .toLowerCase()
    .split(",")
    .map((coding) => coding.trim())
    .filter((coding) => coding !== "" && coding !== "identity");
  if (codings.length > codingsMax) {
    throw new OutboundError("network", "The answer is compressed more than once.");
  }
  const decoders = codings.reverse().map(findDecoder);
  const known = decoders.filter((decoder) => decoder !== null);
  const last = known.at(-1);
  if (last === undefined || known.length < decoders.length) return message;
  headers.delete("content-encoding");
  headers.delete("content-length");
  const limited = known.flatMap((decoder) => [limitBytes(bytesMax, toTooLarge), decoder]);
  // The reader of the last stream gets the error.
  pipeline([message, createChunkWatcher(host), ...limited], () => {});
  return last;
}

/** Attack: compressed data can decode to nothing, so a limit of the decoded bytes would never end it. */
function limitBytes(bytesMax: number, toTooLarge: () => OutboundError): Transform {
  let bytesRead = 0;
  return new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      bytesRead += chunk.byteLength;
      if (bytesRead > bytesMax) done(toTooLarge());
      else done(null, chunk);
    },
  });
}

function findDecoder(coding: string): Transform | null {
  switch (coding) {
    // Lenient decoders accept the empty bodies that some servers declare as compressed.
    case "gzip":
    case "x-gzip":
      return createGunzip({ finishFlush: constants.Z_SYNC_FLUSH });
    case "br":
      return createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH });
    default:
      return null;
  }
}
