import { OutboundError } from "@hub/connector";

const newline = 10;

/**
 * Passes a stream of server-sent events on, up to `lineBytesMax` for one line, so that a line without
 * an end cannot fill the memory.
 */
export function limitLines(
  body: ReadableStream<Uint8Array>,
  lineBytesMax: number,
): ReadableStream<Uint8Array> {
  let lineBytes = 0;
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        const end = chunk.lastIndexOf(newline);
        const first = end < 0 ? chunk.byteLength : chunk.indexOf(newline);
        if (lineBytes + first > lineBytesMax) {
          throw new OutboundError(
            "body_too_large",
            `The MCP server sent a message of more than ${lineBytesMax} bytes. Request less data at a time.`,
          );
        }
        lineBytes = end < 0 ? lineBytes + chunk.byteLength : chunk.byteLength - end - 1;
        controller.enqueue(chunk);
      },
    }),
  );
}
