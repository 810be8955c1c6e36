import type { IncomingMessage } from "node:http";
import { pipeline, type Readable, type Transform } from "node:stream";
import { constants, createBrotliDecompress, createGunzip } from "node:zlib";
import { createChunkWatcher } from "./chunk-sizes.ts";
import { OutboundError } from "./outbound-error.ts";

/** More layers than any server uses. Each layer multiplies the size of a decompression bomb. */
const codingsMax = 2;

/**
 * Decodes the content codings of a body and removes their headers. A body in an unknown coding
 * stays unchanged, with its headers.
 */
export function decompress(message: IncomingMessage, headers: Headers, host: string): Readable {
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
  // The reader of the last stream gets the error.
  pipeline([message, createChunkWatcher(host), ...known], () => {});
  return last;
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
