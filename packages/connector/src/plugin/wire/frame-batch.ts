import { messageBytesMax } from "./services.ts";

/** Collects the frames of one turn of the event loop and sends them as one message. */
export type FrameBatch<Frame> = {
  add(frame: Frame): void;
  /** Sends the collected frames now. */
  flush(): void;
};

/** A larger batch would delay the frames behind it. */
const batchBytes = 128 * 1024;
/**
 * A generous estimate of an object's size, without its texts and bytes, and of a text's overhead.
 */
const objectBytes = 256;
const textBytes = 16;

export function createFrameBatch<Frame extends object>(
  write: (frames: Frame[]) => void,
): FrameBatch<Frame> {
  let frames: Frame[] = [];
  let bytes = 0;
  const flush = () => {
    if (frames.length === 0) return;
    const ready = frames;
    frames = [];
    bytes = 0;
    write(ready);
  };
  return {
    add(frame) {
      // At the end of the turn, because other calls may add frames in this turn.
      if (frames.length === 0) setImmediate(flush);
      frames.push(frame);
      bytes += weigh(frame);
      if (bytes >= batchBytes) flush();
    },
    flush,
  };
}

/**
 * Whether a frame fits into a message. One that is too large would end the stream for all calls.
 */
export function fitsMessage(frame: object): boolean {
  return weigh(frame) <= messageBytesMax;
}

/** An upper limit of the bytes on the wire. */
function weigh(value: unknown): number {
  if (typeof value === "string") return value.length * 3 + textBytes;
  if (value instanceof Uint8Array) return value.length;
  if (typeof value !== "object" || value === null) return 0;
  let bytes = objectBytes;
  for (const name in value) bytes += weigh(value[name as keyof typeof value]);
  return bytes;
}
