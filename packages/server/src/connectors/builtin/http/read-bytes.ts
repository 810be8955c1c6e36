import { loopBytesMax } from "../../../lib/answer-limits.ts";
import type { AnswerRoom } from "../../connector-port.ts";

/**
 * The bytes of a body. Beyond 256 KiB, room is asked for before more is read: until there is some,
 * the rest of the answer stays with the server that sends it.
 */
export async function readBytes(response: Response, room?: AnswerRoom): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let held = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes <= loopBytesMax || bytes <= held) continue;
    const wanted = bytes + loopBytesMax - held;
    held += wanted;
    await room?.take(wanted);
  }
  const [first] = chunks;
  if (first !== undefined && chunks.length === 1) return first;
  return new Uint8Array(Bun.concatArrayBuffers(chunks));
}
