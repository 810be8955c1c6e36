import { OutboundError } from "@hub/connector";
import { checkMessage } from "./check-message.ts";
import { createLineHider } from "./keep-digits.ts";

const newline = 10;

/**
 * Passes the lines of a stream of events on, each when it is complete. The stream fails with a line
 * longer than `lineBytesMax`, which could fill the memory, and with one that is too expensive to parse.
 * Numbers of structured content are hidden from the client library, which would change them.
 */
export function checkEvents(
  body: ReadableStream<Uint8Array>,
  lineBytesMax: number,
): ReadableStream<Uint8Array> {
  let parts: Uint8Array[] = [];
  let bytes = 0;
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
      transform(chunk, controller) {
        const end = chunk.lastIndexOf(newline) + 1;
        if (end > 0) {
          // Short lines of one chunk go on together.
          add(chunk.subarray(0, end));
          controller.enqueue(takeLine());
        }
        if (end < chunk.byteLength) add(chunk.subarray(end));
      },
      flush(controller) {
        if (bytes > 0) controller.enqueue(takeLine());
      },
    }),
  );
}
