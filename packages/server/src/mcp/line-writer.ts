/** Once this much waits to be taken, no new requests are read. */
const waitingCharsMax = 4 * 1024 * 1024;
/** So much progress of one call may wait; of more, only the latest does. */
const progressWaitingMax = 16;
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

  /** Where one call's progress waits: a slow reader meets some of it and the latest, not all. */
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

  #replace(entry: Entry, frame: string): void {
    if (!entry.isQueued) return;
    this.#waitingChars += frame.length - entry.frame.length;
    entry.frame = frame;
  }

  async #writeBatch(): Promise<void> {
    // Frames that come up in the same turn leave together.
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
