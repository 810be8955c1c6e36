/** Once this much waits to be taken, no new requests are read. */
const waitingCharsMax = 4 * 1024 * 1024;
/** Short frames are written together. */
const batchCharsMax = 64 * 1024;

const encoder = new TextEncoder();

type Entry = { frame: string; isQueued: boolean };

/** Writes frames, one a line, as fast as their reader takes them. */
export class LineWriter {
  readonly #sink: WritableStreamDefaultWriter<Uint8Array>;
  readonly #onBroken: () => void;
  readonly #queue: Entry[] = [];
  #waitingChars = 0;
  #isBroken = false;
  #batch: Promise<void> | null = null;

  /** `onBroken` runs when the reader has gone; what is written after that is dropped. */
  constructor(output: WritableStream<Uint8Array>, onBroken: () => void) {
    this.#sink = output.getWriter();
    this.#onBroken = onBroken;
  }

  write(frame: string): void {
    this.#add({ frame, isQueued: false });
  }

  /** A place for frames of which only the latest matters: a slow reader meets one, not all. */
  openSlot(): { put(frame: string): void; clear(): void } {
    const entry: Entry = { frame: "", isQueued: false };
    return {
      put: (frame) => {
        this.#waitingChars += entry.isQueued ? frame.length - entry.frame.length : 0;
        entry.frame = frame;
        if (!entry.isQueued) this.#add(entry);
      },
      clear: () => {
        this.#waitingChars -= entry.isQueued ? entry.frame.length : 0;
        entry.frame = "";
      },
    };
  }

  /** Resolves when there is room for more. */
  async whenRoom(): Promise<void> {
    while (this.#waitingChars > waitingCharsMax) await this.#batch;
  }

  /** Resolves when everything is written, or nobody is left to read it. */
  async whenWritten(): Promise<void> {
    while (this.#batch !== null) await this.#batch;
  }

  #add(entry: Entry): void {
    if (this.#isBroken) return;
    entry.isQueued = true;
    this.#queue.push(entry);
    this.#waitingChars += entry.frame.length;
    this.#batch ??= this.#writeBatch();
  }

  async #writeBatch(): Promise<void> {
    // Frames that come up in the same turn leave together.
    await Promise.resolve();
    try {
      const text = this.#takeBatch();
      if (text !== "") await this.#sink.write(encoder.encode(text));
    } catch {
      this.#isBroken = true;
      this.#queue.length = 0;
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
