import type { Timers } from "../time/timers.ts";
import { yieldToEventLoop } from "../time/yield-to-event-loop.ts";
import { createByteCollector } from "./collect-bytes.ts";

/** What a program may write each second; the rest waits in its pipe. */
export type Pace = { linesMax: number; bytesMax: number };

export type PacedOptions = Pace & {
  timers: Timers;
  /** Limit of one line. */
  lineBytesMax: number;
  onLine(line: string): void;
  /** A line exceeds the limit; the rest of it is dropped. */
  onLongLine(): void;
  /** Whether the program has ended: what it left in its pipe, which is little, is read without a pause. */
  hasEnded?(): boolean;
  /** Asks to read a line of so many bytes: null, or a promise to await first. By default no line waits. */
  admitLine?(bytes: number): Promise<void> | null;
};

const newline = 10;
/** After a smaller chunk, what arrives meanwhile is joined: each chunk costs some microseconds. */
const smallBytesMax = 512;

/**
 * Reads the lines of a pipe at a limited pace, so that a program that writes without end stops itself.
 * Resolves at the end of the stream; never rejects.
 */
export async function readPaced(
  stream: ReadableStream<Uint8Array>,
  options: PacedOptions,
): Promise<void> {
  const { timers, lineBytesMax, onLine, onLongLine, admitLine } = options;
  let parts = createByteCollector();
  let partBytes = 0;
  let isSkipping = false;
  let second = { startedAt: timers.now(), lines: 0, bytes: 0 };

  function add(part: Uint8Array): void {
    if (isSkipping) return;
    if (partBytes + part.byteLength > lineBytesMax) {
      isSkipping = true;
      parts = createByteCollector();
      partBytes = 0;
      onLongLine();
      return;
    }
    parts.add(part);
    partBytes += part.byteLength;
  }

  function endLine(): void {
    const bytes = parts.take();
    parts = createByteCollector();
    partBytes = 0;
    if (!isSkipping)
      onLine(
        Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
          .toString("utf8")
          .replace(/\r$/, ""),
      );
    isSkipping = false;
  }

  async function rest(): Promise<void> {
    if (second.lines < options.linesMax && second.bytes < options.bytesMax) return;
    if (options.hasEnded?.() === true) return;
    const remainingMs = second.startedAt + 1000 - timers.now();
    if (remainingMs > 0) await new Promise<void>((resolve) => timers.after(remainingMs, resolve));
    second = { startedAt: timers.now(), lines: 0, bytes: 0 };
  }

  try {
    for await (const chunk of stream) {
      second.bytes += chunk.byteLength;
      let start = 0;
      for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
        const admitted = admitLine?.(partBytes + end - start) ?? null;
        if (admitted !== null) await admitted;
        add(chunk.subarray(start, end));
        endLine();
        start = end + 1;
        second.lines += 1;
        await rest();
      }
      if (start < chunk.byteLength) add(chunk.subarray(start));
      if (chunk.byteLength < smallBytesMax) await yieldToEventLoop();
      if (timers.now() - second.startedAt >= 1000) {
        second = { startedAt: timers.now(), lines: 0, bytes: 0 };
      }
      await rest();
    }
  } catch {
    // The pipe breaks when its process ends.
  }
  if (partBytes > 0) endLine();
}
