import type { IncomingMessage } from "node:http";
import { pipeline, type Readable, type Transform } from "node:stream";
import { constants, createBrotliDecompress, createGunzip } from "node:zlib";
import { OutboundError } from "./outbound-error.ts";

/** More layers than any server uses; each multiplies what a bomb can expand to. */
const codingsMax = 2;

/**
 * The body with its codings taken off, and the headers that described them removed. A body in a
 * coding that was not asked for is left as it is, header and all.
 */
export function decompress(message: IncomingMessage, headers: Headers): Readable {
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
  pipeline([message, ...known], () => {});
  return last;
}

function findDecoder(coding: string): Transform | null {
  switch (coding) {
    // The lenient ends take the empty bodies that some servers call compressed.
    case "gzip":
    case "x-gzip":
      return createGunzip({ finishFlush: constants.Z_SYNC_FLUSH });
    case "br":
      return createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH });
    default:
      return null;
  }
}
