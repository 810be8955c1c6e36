import { messageBytesMax } from "./services.ts";

/** Gathers what is said in one turn of the event loop, to be sent as one message. */
export type FrameBatch<Frame> = {
  add(frame: Frame): void;
  /** Sends what is there at once. */
  flush(): void;
};

/** So much at once, and what waits behind it waits too long. */
const batchBytes = 128 * 1024;
/** What an object takes beside its texts and bytes, amply, and what a text does. */
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
      // Not before the turn is over: other calls have something to say in it.
      if (frames.length === 0) setImmediate(flush);
      frames.push(frame);
      bytes += weigh(frame);
      if (bytes >= batchBytes) flush();
    },
    flush,
  };
}

/** Whether a frame fits into a message: one that does not would end the stream for all calls. */
export function fitsMessage(frame: object): boolean {
  return weigh(frame) <= messageBytesMax;
}

/** At least the bytes that it takes on the wire. */
function weigh(value: unknown): number {
  if (typeof value === "string") return value.length * 3 + textBytes;
  if (value instanceof Uint8Array) return value.length;
  if (typeof value !== "object" || value === null) return 0;
  let bytes = objectBytes;
  for (const name in value) bytes += weigh(value[name as keyof typeof value]);
  return bytes;
}
