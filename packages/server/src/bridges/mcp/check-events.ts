import { OutboundError } from "@hub/connector";
import type { AnswerBudget } from "../../connectors/connector-port.ts";
import { loopBytesMax } from "../../lib/answer-limits.ts";
import { checkMessage } from "./check-message.ts";
import { createLineHider } from "./keep-digits.ts";

const newline = 10;

/**
 * Passes the lines of a stream of events on, each when it is complete. The stream fails with a line
 * longer than `lineBytesMax`, which could fill the memory, and with one that is too expensive to parse.
 * Memory for a long line is taken from `budget`. Numbers of structured content are hidden from the client library, which would change them.
 */
export function checkEvents(
  body: ReadableStream<Uint8Array>,
  lineBytesMax: number,
  budget?: AnswerBudget,
): ReadableStream<Uint8Array> {
  let parts: Uint8Array[] = [];
  let bytes = 0;
  let held = 0;
  const hideDigits = createLineHider();

  function add(part: Uint8Array): void {
    bytes += part.byteLength;
    if (bytes > lineBytesMax) {
      throw new OutboundError(
        "body_too_large",
        `The MCP server sent a message larger than ${lineBytesMax} bytes. Request less data at a time.`,
      );
    }
    parts.push(part);
  }

  /** Meanwhile the rest of the message stays at the server. */
  async function takeMemory(): Promise<void> {
    if (bytes <= loopBytesMax || bytes <= held) return;
    const wanted = bytes + loopBytesMax - held;
    held += wanted;
    await budget?.take(wanted);
  }

  function takeLine(): Uint8Array {
    const line = parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
    parts = [];
    bytes = 0;
    const text = Buffer.from(line.buffer, line.byteOffset, line.byteLength).toString("latin1");
    checkMessage(text);
    const hidden = hideDigits(text);
    return hidden === text ? line : Buffer.from(hidden, "latin1");
  }

  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      async transform(chunk, controller) {
        const end = chunk.lastIndexOf(newline) + 1;
        if (end > 0) {
          // Short lines of one chunk go on together.
          add(chunk.subarray(0, end));
          if (budget !== undefined) await takeMemory();
          controller.enqueue(takeLine());
        }
        if (end < chunk.byteLength) add(chunk.subarray(end));
        if (budget !== undefined) await takeMemory();
      },
      flush(controller) {
        if (bytes > 0) controller.enqueue(takeLine());
      },
    }),
  );
}
