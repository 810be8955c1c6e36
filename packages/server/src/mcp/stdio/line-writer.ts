/** Above this, no new requests are read until the reader has caught up. */
const waitingCharsMax = 4 * 1024 * 1024;
/** Progress frames of one call that may wait; further ones replace the latest. */
const progressWaitingMax = 16;
/** Short frames are written together. */
const batchCharsMax = 64 * 1024;

const encoder = new TextEncoder();

type Entry = { frame: string; isQueued: boolean };

/** Writes frames, one per line, as fast as the reader accepts them. */
export class LineWriter {
  readonly #sink: WritableStreamDefaultWriter<Uint8Array>;
  readonly #onBroken: () => void;
  readonly #queue: Entry[] = [];
  #waitingChars = 0;
  #isBroken = false;
  #batch: Promise<void> | null = null;

  /** `onBroken` runs when the reader has gone; later writes are dropped. */
  constructor(output: WritableStream<Uint8Array>, onBroken: () => void) {
    this.#sink = output.getWriter();
    this.#onBroken = onBroken;
  }

  write(frame: string): void {
    this.#add({ frame, isQueued: false });
  }

  /** A queue for one call's progress. A slow reader gets some frames and the latest, not all. */
  openProgress(): { put(frame: string): void; clear(): void } {
    let waiting: Entry[] = [];
    return {
      put: (frame) => {
        waiting = waiting.filter(({ isQueued }) => isQueued);
        const latest = waiting.at(-1);
        if (latest !== undefined && waiting.length >= progressWaitingMax) {
          this.#replace(latest, frame);
          return;
        }
        const entry = { frame, isQueued: false };
        waiting.push(entry);
        this.#add(entry);
      },
      clear: () => {
        for (const entry of waiting) this.#replace(entry, "");
      },
    };
  }

  /** Resolves when the queue accepts more frames. */
  async waitForCapacity(): Promise<void> {
    while (this.#waitingChars > waitingCharsMax) await this.#batch;
  }

  /** Resolves when everything is written or the reader has gone. */
  async flush(): Promise<void> {
    while (this.#batch !== null) await this.#batch;
  }

  #add(entry: Entry): void {
    if (this.#isBroken) return;
    entry.isQueued = true;
    this.#queue.push(entry);
    this.#waitingChars += entry.frame.length;
    this.#batch ??= this.#writeBatch();
  }

  #replace(entry: Entry, frame: string): void {
    if (!entry.isQueued) return;
    this.#waitingChars += frame.length - entry.frame.length;
    entry.frame = frame;
  }

  async #writeBatch(): Promise<void> {
    // Frames written in the same turn of the event loop form one batch.
    await Promise.resolve();
    try {
      const text = this.#takeBatch();
      if (text !== "") await this.#sink.write(encoder.encode(text));
    } catch {
      this.#isBroken = true;
      for (const entry of this.#queue.splice(0)) entry.isQueued = false;
      this.#waitingChars = 0;
      this.#onBroken();
    }
    this.#batch = this.#queue.length > 0 ? this.#writeBatch() : null;
  }

  #takeBatch(): string {
    let text = "";
    while (text.length < batchCharsMax) {
      const entry = this.#queue.shift();
      if (entry === undefined) break;
      entry.isQueued = false;
      this.#waitingChars -= entry.frame.length;
      if (entry.frame !== "") text += `${entry.frame}\n`;
    }
    return text;
  }
}
