import { isJsonObject, OutboundError, parseJson } from "@hub/connector";
import type { ApiPath } from "../../api-path.ts";
import type { HostContext } from "../../codehost-config-fields.ts";
import { type Query, sendRequest } from "../../request-codehost.ts";

/** A part of a file: its bytes, and the byte of the file at which they begin. */
export type FilePart = { bytes: Uint8Array; offset: number };

/** A part has at most so many bytes of a file. */
const partBytesMax = 256 * 1024;

type PartRequest = { path: ApiPath; query: Query; offset: number };

/**
 * Reads a part of a file that the host does not give as JSON, with its raw media type. Null if the host gives no raw
 * files, or if the file is larger than an answer may be and the host gives no ranges.
 */
export async function readPart(
  ctx: HostContext,
  { path, query, offset }: PartRequest,
): Promise<FilePart | null> {
  const end = offset + partBytesMax;
  try {
    const response = await sendRequest(ctx, {
      path,
      query,
      range: `bytes=${offset}-${end - 1}`,
      accept: "application/vnd.github.raw+json",
    });
    const type = response.headers.get("content-type") ?? "";
    if (response.body === null) return null;
    const isJson = type.startsWith("application/json");
    const skip = response.status === 206 ? 0 : offset;
    const bytes = await readBytes(response.body, skip, partBytesMax);
    return isJson && (bytes.length === 0 || isContents(bytes)) ? null : { bytes, offset };
  } catch (thrown) {
    if (thrown instanceof OutboundError && thrown.code === "body_too_large") return null;
    throw thrown;
  }
}

/** Whether a host that does not know the media type has sent its JSON about the file again. */
function isContents(bytes: Uint8Array): boolean {
  try {
    const json = parseJson(new TextDecoder().decode(bytes));
    return isJsonObject(json) && "encoding" in json;
  } catch {
    return false;
  }
}

/** Reads no further than the last byte that is wanted. */
async function readBytes(
  body: ReadableStream<Uint8Array>,
  skip: number,
  bytesMax: number,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let [left, taken] = [skip, 0];
  for await (const chunk of body) {
    const wanted = chunk.subarray(Math.min(left, chunk.length)).subarray(0, bytesMax - taken);
    left = Math.max(left - chunk.length, 0);
    taken += wanted.length;
    if (wanted.length > 0) chunks.push(wanted);
    if (taken === bytesMax) break;
  }
  return Buffer.concat(chunks);
}
