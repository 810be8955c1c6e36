import { decodeUtf8 } from "../../lib/text/decode-utf8.ts";

const newline = 10;

/** One line, or the reason why it could not be read. */
export type Line = { kind: "text"; text: string } | { kind: "too_long" } | { kind: "not_utf8" };

/**
 * Splits bytes into lines and drops blank ones. A line longer than `bytesMax` is reported as soon as
 * it exceeds the limit and skipped to its end, so memory never holds more of it. Text after the last
 * newline is a line too.
 */
export async function* readLines(
  input: AsyncIterable<Uint8Array>,
  bytesMax: number,
): AsyncGenerator<Line> {
  const line = createLineBuffer(bytesMax);
  for await (const chunk of input) {
    let start = line.isEmpty() ? skipNewlines(chunk, 0) : 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      if (line.append(chunk.subarray(start, end)) === "overflows") yield { kind: "too_long" };
      const whole = line.take();
      if (whole !== null) yield whole;
      start = skipNewlines(chunk, end + 1);
    }
    if (line.append(chunk.subarray(start)) === "overflows") yield { kind: "too_long" };
  }
  const last = line.take();
  if (last !== null) yield last;
}

/** Skips empty lines without the work that other lines take. */
function skipNewlines(chunk: Uint8Array, from: number): number {
  let at = from;
  while (chunk[at] === newline) at += 1;
  return at;
}

/** Collects the pieces of one line. */
function createLineBuffer(bytesMax: number) {
  let buffer = Buffer.alloc(0);
  let length = 0;
  let isSkipping = false;
  return {
    isEmpty: () => length === 0 && !isSkipping,
    append(piece: Uint8Array): "fits" | "overflows" | "skipped" {
      if (isSkipping) return "skipped";
      if (length + piece.length > bytesMax) {
        isSkipping = true;
        buffer = Buffer.alloc(0);
        return "overflows";
      }
      if (length + piece.length > buffer.length) {
        // Doubling keeps the copying linear for small pieces.
        const grown = Buffer.alloc(Math.max(length + piece.length, buffer.length * 2));
        grown.set(buffer.subarray(0, length));
        buffer = grown;
      }
      buffer.set(piece, length);
      length += piece.length;
      return "fits";
    },
    /** Returns the line and starts a new one; null if it was skipped or is blank. */
    take(): Line | null {
      const text = isSkipping ? "" : decodeUtf8(buffer.subarray(0, length));
      buffer = Buffer.alloc(0);
      length = 0;
      isSkipping = false;
      if (text === null) return { kind: "not_utf8" };
      return text.trim() === "" ? null : { kind: "text", text };
    },
  };
}
