import { loopBytesMax } from "../../../lib/answer-limits.ts";
import type { AnswerBudget } from "../../connector-port.ts";

/**
 * Reads the bytes of a body. Beyond 256 KiB it waits for memory before it reads more; meanwhile the
 * rest of the answer stays at the server.
 */
export async function readBytes(response: Response, budget?: AnswerBudget): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let held = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes <= loopBytesMax || bytes <= held) continue;
    const wanted = bytes + loopBytesMax - held;
    held += wanted;
    await budget?.take(wanted);
  }
  const [first] = chunks;
  if (first !== undefined && chunks.length === 1) return first;
  return new Uint8Array(Bun.concatArrayBuffers(chunks));
}
