import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { toBytesText } from "@hub/connector";
import { HubError } from "../../../errors.ts";
import { createByteCollector } from "../../../lib/streams/collect-bytes.ts";

/** The largest body of a webhook, also when it is unpacked. */
export const webhookBytesMax = 10 * 1024 * 1024;

/** What a sender can send instead of a body as it is. */
const acceptEncoding = "gzip";

/**
 * The body without its Content-Encoding. `hold` counts each part as it is unpacked, and may throw. Throws
 * `unsupported_media_type` for other encodings than gzip, with those that are accepted as `accept_encoding`.
 */
export async function unpackBody(
  encoding: string | null,
  raw: Uint8Array,
  hold: (bytes: number) => void,
): Promise<Uint8Array> {
  if (!isPacked(encoding)) return raw;
  const name = toName(encoding);
  // RFC 9110, section 8.4.1.3: both are the same.
  if (name !== "gzip" && name !== "x-gzip") {
    throw new HubError(
      "unsupported_media_type",
      "A webhook accepts bodies without a Content-Encoding, or with the Content-Encoding gzip.",
      { detail: { accept_encoding: acceptEncoding } },
    );
  }
  const collector = createByteCollector();
  let bytes = 0;
  const collect = async (parts: AsyncIterable<Uint8Array>) => {
    for await (const part of parts) {
      bytes += part.length;
      if (bytes > webhookBytesMax) throw refuseSize();
      hold(part.length);
      collector.add(part);
    }
  };
  try {
    await pipeline(Readable.from([raw]), createGunzip(), collect);
  } catch (thrown) {
    if (thrown instanceof HubError) throw thrown;
    throw new HubError(
      "bad_request",
      "The body is not valid gzip, as its Content-Encoding says. Correct the body or the Content-Encoding.",
      { cause: thrown },
    );
  }
  return collector.take();
}

/** Whether `unpackBody` changes a body with this Content-Encoding. */
export function isPacked(encoding: string | null): boolean {
  const name = toName(encoding);
  return name !== "" && name !== "identity";
}

const toName = (encoding: string | null) => (encoding ?? "").trim().toLowerCase();

function refuseSize(): HubError {
  return new HubError(
    "body_too_large",
    `The unpacked body must not be larger than ${toBytesText(webhookBytesMax)}.`,
  );
}
